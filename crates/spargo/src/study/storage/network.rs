//! Network file systems, over which the processes of two machines do not see each other's locks.

use std::path::Path;

/// File systems that several machines share, by the numbers that statfs(2) gives them.
const SHARED: [(u64, &str); 11] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "SMB"),
    (0xfe53_4d42, "SMB"),
    (0x5346_414f, "AFS"),
    (0x0102_1997, "9P"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x7375_7245, "Coda"),
];

/// The name of the network file system that a file is on, if it is on one: its study must be used from one machine at a time.
pub fn network_file_system(path: &Path) -> Option<&'static str> {
    file_system(path).and_then(shared)
}

/// The name of a file system that several machines share.
fn shared(magic: u64) -> Option<&'static str> {
    SHARED.iter().find(|(number, _)| *number == magic).map(|(_, name)| *name)
}

#[cfg(target_os = "linux")]
fn file_system(path: &Path) -> Option<u64> {
    // The numbers have 32 bits, whose first is the sign on some machines.
    rustix::fs::statfs(path).ok().map(|found| found.f_type as u64 & 0xffff_ffff)
}

#[cfg(not(target_os = "linux"))]
fn file_system(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        for (magic, name) in [(0x6969, "NFS"), (0xff53_4d42, "SMB"), (0xfe53_4d42, "SMB"), (0x0bd0_0bd0, "Lustre")] {
            assert_eq!(shared(magic), Some(name));
        }
        // ext4, XFS, Btrfs, tmpfs, overlay, FUSE
        for local in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x6573_5546] {
            assert_eq!(shared(local), None);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn every_file_has_a_file_system() {
        assert!(file_system(Path::new("/proc")) == Some(0x9fa0) && file_system(Path::new("/no/such/file")).is_none());
    }
}
