//! Processor time, which a busy machine does not lengthen.

use rustix::time::{ClockId, clock_gettime};

/// Processor seconds of this process, all threads.
pub fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}
