"""Options: the fields, names and words of the library, none of them written twice without a test."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import spargo
from spargo.options import StudySettings

LINE: dict[str, Any] = {"x": (0.0, 1.0)}
SECTIONS: dict[str, Any] = {
    "model": spargo.ModelOptions,
    "sampling": spargo.SamplingOptions,
    "acquisition": spargo.AcquisitionOptions,
    "trust_regions": spargo.TrustRegionOptions,
    "local_models": spargo.LocalModelOptions,
}


def words(hint: Any) -> set[str]:
    """Words that a type allows, keys of dictionaries among them."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return {word for part in get_args(hint) for word in words(part)}


def arguments() -> list[Any]:
    """Every argument of a study that has words: its name, its words, and how it is given."""
    found: list[Any] = []
    for name, hint in get_type_hints(StudySettings).items():
        if name not in SECTIONS and words(hint) - {"auto"}:
            found.append(pytest.param(words(hint), lambda word, name=name: {name: word}, id=name))
    for section, options in SECTIONS.items():
        for name, hint in get_type_hints(options).items():
            if words(hint) - {"auto"}:
                given = lambda word, section=section, options=options, name=name: {section: options(**{name: word})}  # noqa: E731
                found.append(pytest.param(words(hint), given, id=f"{section}.{name}"))
    return found


@pytest.mark.parametrize(("known", "given"), arguments())
def test_words_are_those_of_the_library(known: set[str], given: Callable[[str], dict[str, Any]]) -> None:
    assert words_of_the_library(given) == known


def words_of_the_library(given: Callable[[str], dict[str, Any]]) -> set[str]:
    """What an error says that an argument can be; "elbo" is an objective that no study has."""
    with pytest.raises(spargo.SpargoError) as refused:
        spargo.Study(LINE, **given("elbo"))
    message = str(refused.value)
    [listed] = re.findall("(?:expected|use) (?:one of )?([^:]+)", message)
    return set(re.findall("[a-z0-9-]+", listed)) - {"or"}


def test_options_have_the_fields_of_the_library() -> None:
    """Every setting of a section of a study file is a field of its options, but for the optimizer's."""
    config = spargo.Study(LINE).config
    for section, options in SECTIONS.items():
        names = {field.name.replace("_", "-") for field in dataclasses.fields(options)}
        # The defaults of these are left out.
        assert set(config[section.replace("_", "-")]) - {"optimizer"} == names - {"policy", "penalties"}
    arguments = set(inspect.signature(spargo.Study).parameters)
    changeable = set(inspect.signature(spargo.Study.configure).parameters) - {"self", "past", "reason"}
    assert changeable == arguments - {"storage"}
    assert set(StudySettings.__annotations__) == arguments - {"space", "objectives"}
    assert {name.replace("_", "-") for name in arguments} >= set(config) - {"space", "outputs"}
