//! A command that stops at each of its system calls: what a test does between two of them comes at the same place
//! each time, however busy the machine is.

use std::fs;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output};

use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

/// The calls that change files, but for the opening of a file that is not there yet.
const CHANGING: &[libc::c_long] = &[
    libc::SYS_exit_group,
    libc::SYS_fdatasync,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_linkat,
    libc::SYS_mkdirat,
    libc::SYS_pwrite64,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlinkat,
    libc::SYS_write,
    libc::SYS_writev,
    // Other processors lack the older forms.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
];

/// A process whose main thread stops where a system call begins and where it ends.
pub struct TracedCommand {
    child: Child,
    has_ended: bool,
}

impl TracedCommand {
    /// Starts a command that stops before its first instruction.
    pub fn start(command: &mut Command) -> TracedCommand {
        // SAFETY: the closure makes one system call, and allocates nothing.
        unsafe { command.pre_exec(|| ptrace::traceme().map_err(io::Error::from)) };
        let traced = TracedCommand {
            child: command.spawn().unwrap(),
            has_ended: false,
        };
        let stopped = waitpid(traced.pid(), None).unwrap();
        assert!(matches!(stopped, WaitStatus::Stopped(..)), "{stopped:?}");
        let options = Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_EXITKILL;
        ptrace::setoptions(traced.pid(), options).unwrap();
        traced
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().try_into().unwrap())
    }

    /// Runs to the next stop. Gives whether there was one: the process may end before.
    pub fn step(&mut self) -> bool {
        let mut signal = None;
        while !self.has_ended {
            ptrace::syscall(self.pid(), signal.take()).unwrap();
            match waitpid(self.pid(), None).unwrap() {
                WaitStatus::PtraceSyscall(_) => return true,
                WaitStatus::Stopped(_, received) => signal = Some(received),
                WaitStatus::Exited(..) | WaitStatus::Signaled(..) => self.has_ended = true,
                other => panic!("{other:?}"),
            }
        }
        false
    }

    /// Runs to the first stop at which a condition holds.
    #[track_caller]
    pub fn run_until(&mut self, mut condition: impl FnMut(&TracedCommand) -> bool) {
        while !condition(self) {
            assert!(self.step(), "the command ended before");
        }
    }

    /// Whether the process has a file open.
    pub fn has_open(&self, path: &Path) -> bool {
        self.find_descriptor(path).is_some()
    }

    /// Whether the process stands before a write to a file.
    pub fn is_about_to_write(&self, path: &Path) -> bool {
        let call = ptrace::syscall_info(self.pid()).unwrap();
        if call.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
            return false;
        }
        // SAFETY: this is the member for the place before a system call.
        let call = unsafe { call.u.entry };
        i64::try_from(call.nr) == Ok(libc::SYS_write)
            && self.find_descriptor(path) == Some(call.args[0])
    }

    /// Whether the process stands before a call that changes a file, makes one durable or ends the process. Between two
    /// of these the files stay as they are.
    pub fn is_about_to_change_files(&self) -> bool {
        let call = ptrace::syscall_info(self.pid()).unwrap();
        if call.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
            return false;
        }
        // SAFETY: this is the member for the place before a system call.
        let call = unsafe { call.u.entry };
        match i64::try_from(call.nr) {
            Ok(libc::SYS_openat) => call.args[2] & u64::from(libc::O_CREAT.unsigned_abs()) != 0,
            Ok(number) => CHANGING.contains(&number),
            Err(_) => false,
        }
    }

    fn find_descriptor(&self, path: &Path) -> Option<u64> {
        let path = path.canonicalize().ok()?;
        let opened = format!("/proc/{}/fd", self.child.id());
        let opened = fs::read_dir(opened).unwrap().find(|entry| {
            let link = fs::read_link(entry.as_ref().unwrap().path());
            link.is_ok_and(|target| target == path)
        })?;
        let number = opened.unwrap().file_name();
        Some(number.to_str().unwrap().parse().unwrap())
    }

    /// Kills the process where it stands. Gives what it has written to standard output.
    pub fn kill(mut self) -> String {
        if !self.has_ended {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
        let mut told = String::new();
        if let Some(mut stdout) = self.child.stdout.take() {
            stdout.read_to_string(&mut told).unwrap();
        }
        told
    }

    /// Lets the process go on without further stops, and waits for its end.
    pub fn finish(self) -> Output {
        ptrace::detach(self.pid(), None).unwrap();
        self.child.wait_with_output().unwrap()
    }
}
