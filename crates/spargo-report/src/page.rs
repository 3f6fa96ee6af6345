//! The page: markup, style and script in one file, with the data as JSON that cannot end its element.

use serde::Serialize;
use spargo::{Error, Result};

const MARKUP: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPTS: [&str; 13] = [
    include_str!("page/elements.js"),
    include_str!("page/scales.js"),
    include_str!("page/plot.js"),
    include_str!("page/overview.js"),
    include_str!("page/model.js"),
    include_str!("page/front.js"),
    include_str!("page/classes.js"),
    include_str!("page/slices.js"),
    include_str!("page/inducing.js"),
    include_str!("page/overhead.js"),
    include_str!("page/runs.js"),
    include_str!("page/trials.js"),
    include_str!("page/tabs.js"),
];

/// The page as one text.
pub fn html(data: &impl Serialize) -> Result<String> {
    // "<" could begin "</script>" or "<!--"; in JSON it occurs in strings only.
    let json = serde_json::to_string(data).map_err(|error| Error::Unsupported {
        what: format!("the page's data cannot be written ({error})"),
        remedy: "report this as a fault of the program".into(),
    })?;
    let json = json.replace('<', "\\u003c");
    // The data come last, so that placeholders in them are not replaced.
    let page = MARKUP.replace("{{style}}", STYLE).replace("{{script}}", &SCRIPTS.join("\n"));
    Ok(page.replacen("{{data}}", &json, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_breaks_out_of_the_data() {
        let name = "</script><script>alert('\"')</script><!-- {{data}} {{script}} \u{2028} ü";
        let page = html(&[name]).unwrap();
        let start = page.find("type=\"application/json\">").unwrap() + "type=\"application/json\">".len();
        let json = &page[start..start + page[start..].find("</script>").unwrap()];
        assert_eq!(serde_json::from_str::<Vec<String>>(json).unwrap(), [name]);
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!html(&[0]).unwrap().contains("{{"));
    }
}
