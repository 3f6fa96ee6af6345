//! A car's radiator: louvered fins between flat tubes, air drawn across, coolant pumped through in passes.
//!
//! ```text
//!     core resistance Δp(v) = Δp₀ (1 − (v A / V₀)²)                                    the fan and the car's speed
//!     Q = Σ_passes ε C_min (T_coolant − T_air),   ε = 1 − exp(NTU^0.22/c (e^(−c NTU^0.78) − 1)),   c = C_min/C_max
//! ```
//!
//! An open substitute, from first principles and with constant properties, for the heat exchanger of Paleyes et al. 2022
//! (Section 5.3 of the paper), whose simulation is not public. ε–NTU for cross-flow with both fluids unmixed: Incropera
//! & DeWitt; the air side is in air.rs, the coolant's in coolant.rs. About 10.1 % of random designs are feasible.

mod air;
mod coolant;
mod design;

use super::{Constraint, Input, MaximumHypervolume, MultiObjectiveProblem, Objective};
use air::Air;
use design::Design;

/// Much heat from little mass, within the pressures of fan and pump and cool enough at the outlet.
pub static RADIATOR: MultiObjectiveProblem = MultiObjectiveProblem {
    name: "radiator",
    inputs: &[
        Input::real("length_m", 0.40, 0.60),
        Input::real("tube_height_m", 1.4e-3, 3.0e-3),
        Input::real("fin_pitch_m", 0.8e-3, 3.0e-3),
        Input::real("louver_pitch_m", 0.6e-3, 2.4e-3),
        Input::real("fin_thickness_m", 0.05e-3, 0.15e-3),
        Input::real("tube_depth_m", 10e-3, 32e-3),
        Input::int("tubes", 24.0, 56.0),
        Input::int("rows", 1.0, 3.0),
        Input::int("passes", 1.0, 3.0),
    ],
    objectives: &[Objective::maximize("heat_kW", 48.0, 12.095), Objective::minimize("mass_kg", 15.0, 2.4433)],
    constraints: &[
        Constraint { name: "air_drop_Pa", at_most: 260.0 },
        Constraint { name: "coolant_drop_Pa", at_most: 25e3 },
        Constraint { name: "outlet_C", at_most: 98.5 },
    ],
    noise: 0.0,
    maximum_hypervolume: MaximumHypervolume::AtLeast(313.79),
    citation: "Paleyes et al. 2022, A penalisation method for batch multi-objective Bayesian optimisation with application \
               in heat exchanger design; this simulation is our own",
    function: |x| simulate(&Design::new(x)),
};

/// Pressure that fan and speed provide against a closed core, Pa.
const STALL_PRESSURE: f64 = 420.0;

/// Flow that they provide against none, m³/s.
const FREE_FLOW: f64 = 2.2;

/// From the centimetre per second up, halvings of the range of face velocities.
const HALVINGS: usize = 50;

fn simulate(design: &Design) -> Vec<f64> {
    let (mut low, mut high) = (1e-2, FREE_FLOW / design.face);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let available = STALL_PRESSURE * (1.0 - (middle * design.face / FREE_FLOW).powi(2));
        match operate(design, middle).air_drop < available {
            true => low = middle,
            false => high = middle,
        }
    }
    let state = operate(design, 0.5 * (low + high));
    vec![state.heat / 1e3, design.mass(), state.air_drop, state.coolant_drop, state.outlet]
}

struct State {
    heat: f64,
    air_drop: f64,
    coolant_drop: f64,
    outlet: f64,
}

/// Everything at one face velocity.
fn operate(design: &Design, velocity: f64) -> State {
    let air = Air::new(design, velocity);
    let capacity = coolant::capacity();
    let mut state = State { heat: 0.0, air_drop: 0.0, coolant_drop: 0.0, outlet: coolant::INLET };
    for tubes in design.tubes_of_passes() {
        let share = tubes / design.tubes;
        let pass = coolant::pass(design, tubes);
        let resistance = 1.0 / (air.conductance * share) + design.wall_resistance(tubes) + pass.resistance;
        let (least, most) = (capacity.min(air.capacity * share), capacity.max(air.capacity * share));
        let heat = effectiveness(1.0 / (resistance * least), least / most) * least * (state.outlet - air::INLET);
        state.heat += heat;
        state.outlet -= heat / capacity;
        state.coolant_drop += pass.drop;
    }
    state.air_drop = air.drop(design, state.heat);
    state
}

/// ε from the number of transfer units and the ratio of capacities.
fn effectiveness(units: f64, ratio: f64) -> f64 {
    -(units.powf(0.22) / ratio * (-ratio * units.powf(0.78)).exp_m1()).exp_m1()
}
