//! A warning about studies on network file systems, over which the processes of two machines do not see each other's locks.

use crate::io::output::print::note;
use spargo::study::network_file_system;
use std::path::Path;
use std::sync::Once;

/// Says once, on standard error, that a database is on a network file system.
pub fn warn_of_network(database: &Path) {
    static ONCE: Once = Once::new();
    if let Some(name) = network_file_system(database) {
        ONCE.call_once(|| {
            note(&format!(
                "warning: {} is on a network file system ({name}): use it from one machine at a time, or its trials may be \
                 lost",
                database.display()
            ));
        });
    }
}
