#!/usr/bin/env python3
"""run-vm.py KERNEL_DIR INIT PROGRAM: runs a TAP test inside a virtual machine.

The machine has Debian's kernel (see fetch-kernel.sh), a file system in memory made here of INIT,
PROGRAM and the shared libraries they need, and two serial ports: the kernel's console, kept and
shown only if the test fails, and PROGRAM's standard output, passed on line by line as it comes.
It has no disk and no network. Where KVM does not do, the processor is emulated: slower, and enough.

ASC_TEST_SEED and the sanitizers' options are passed on; their reports come with the output.
ASC_TEST_TIMEOUT=X stretches the time limit.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

TIMEOUT_S = 150 * float(os.environ.get("ASC_TEST_TIMEOUT", "1"))
MEMORY_MB = 384
QEMU = "qemu-system-x86_64"
PROCESSORS = {
    "kvm": ("-accel", "kvm", "-cpu", "host"),
    "tcg": ("-accel", "tcg", "-cpu", "qemu64,+rdrand"),
}
# With KVM the program speaks within two seconds. On some hosts, machines themselves, it never
# does: then the processor is emulated.
KVM_SILENCE_S = 12 * float(os.environ.get("ASC_TEST_TIMEOUT", "1"))


def skip(reason):
    print("1..0 # SKIP " + reason)
    sys.exit(0)


def libraries(program):
    """The files that the dynamic loader wants for the program, as absolute paths."""
    out = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    found = set()
    for line in out.stdout.splitlines():
        words = line.split()
        if "not found" in line:
            sys.exit(f"run-vm: {program} needs {words[0]}, which is not there")
        found.update([w for w in words if w.startswith("/")][:1])
    # glibc loads this one by itself, for pthread_cancel().
    for lib in list(found):
        gcc_s = os.path.join(os.path.dirname(lib), "libgcc_s.so.1")
        if os.path.basename(lib) == "libc.so.6" and os.path.exists(gcc_s):
            found.add(gcc_s)
    return found


class Initramfs:
    """Writes the 'newc' cpio format: 110 bytes of hexadecimal header, name, data, padded to 4."""

    def __init__(self, out):
        self.out = out
        self.inode = 0
        self.known = {""}

    def _entry(self, name, mode, data=b""):
        self.inode += 1
        raw = name.encode() + b"\0"
        fields = [self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0]
        head = b"070701" + b"".join(b"%08X" % f for f in fields) + raw
        self.out.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))

    def directory(self, path):
        path = path.strip("/")
        if path not in self.known:
            self.directory(os.path.dirname(path))
            self.known.add(path)
            self._entry(path, 0o040755)

    def data(self, path, data, mode=0o644):
        self.directory(os.path.dirname(path))
        path = path.strip("/")
        if path not in self.known:
            self.known.add(path)
            self._entry(path, 0o100000 | mode, data)

    def file(self, path, source, mode=0o755):
        with open(source, "rb") as f:
            self.data(path, f.read(), mode)

    def close(self):
        self._entry("TRAILER!!!", 0)


def make_initramfs(path, kernel, init, program):
    with open(path, "wb") as out:
        fs = Initramfs(out)
        for directory in ("proc", "sys", "dev", "tmp", "modules"):
            fs.directory(directory)
        fs.file("init", init)
        fs.file("program", program)
        fs.data("etc/group", b"root:x:0:\ndialout:x:20:\n")
        for lib in sorted(libraries(init) | libraries(program)):
            fs.file(lib, lib)
        modules = os.path.join(kernel, "modules")
        for name in sorted(os.listdir(modules)):
            fs.file("modules/" + name, os.path.join(modules, name), 0o644)
        fs.close()


def passed_on():
    """The variables for PROGRAM; paths of this side mean nothing on the other."""
    passed = []
    for name in ("ASC_TEST_SEED", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
        options = [o for o in os.environ.get(name, "").split(":") if o and "/" not in o]
        if options:
            passed.append(name + "=" + ":".join(options))
    return passed


def command(work, kernel, accel):
    line = ["console=ttyS0", "quiet", "panic=-1", "mitigations=off", "nokaslr", "audit=0",
            "random.trust_cpu=on", f"ASC_VM_ACCEL={accel}"]
    line += passed_on()
    return [QEMU, "-no-user-config", "-nodefaults", "-display", "none", "-no-reboot",
            *PROCESSORS[accel], "-m", str(MEMORY_MB), "-kernel", os.path.join(kernel, "vmlinuz"),
            "-initrd", os.path.join(work, "initramfs"), "-append", " ".join(line),
            "-serial", "file:" + os.path.join(work, "console"), "-serial", "stdio"]


class Machine:
    """One run of the machine: why it was no success, or None, and what was seen of it."""

    def __init__(self, work, kernel, accel, silence_s):
        print(f"# {QEMU}, {accel}", flush=True)
        self.spoke = False
        self.told = False       # a failed case
        self.status = None
        self.qemu = subprocess.Popen(command(work, kernel, accel), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, text=True, errors="replace")
        timers = [threading.Timer(silence_s, self.stop_if_silent),
                  threading.Timer(TIMEOUT_S, self.qemu.kill)]
        for timer in timers:
            timer.start()
        try:
            for line in self.qemu.stdout:
                self.line(line.rstrip("\r\n"))
            self.qemu.wait()
        finally:
            in_time = timers[-1].is_alive()
            for timer in timers:
                timer.cancel()
            self.qemu.kill()
            self.qemu.wait()
        self.why = self.judge(in_time)

    def stop_if_silent(self):
        if not self.spoke:
            self.qemu.kill()

    def line(self, line):
        self.spoke = True
        if line.startswith("# exit "):
            self.status = line[7:]
        else:
            self.told = self.told or line.startswith("not ok")
            print(line, flush=True)

    def judge(self, in_time):
        if not in_time:
            return f"the machine was stopped after {TIMEOUT_S:.0f} s"
        if self.status is None:
            return f"the machine ended (qemu: {self.qemu.returncode}) before the program did"
        return None if self.status == "status 0" else "the program ended with " + self.status


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    kernel, init, program = sys.argv[1:]
    if not os.path.exists(os.path.join(kernel, "version")):
        skip("no kernel for the virtual machine: tests/link/vm/fetch-kernel.sh build/vm-kernel "
             "fetches it (Debian on x86-64 only)")
    if shutil.which(QEMU) is None:
        skip(f"no {QEMU}")
    # A polite end on SIGTERM too, so that the machine and the files go.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("run-vm: stopped by a signal"))
    with tempfile.TemporaryDirectory(prefix="aioscope-vm-") as work:
        make_initramfs(os.path.join(work, "initramfs"), kernel, init, program)
        machine = None
        if os.access("/dev/kvm", os.R_OK | os.W_OK):
            machine = Machine(work, kernel, "kvm", KVM_SILENCE_S)
        if machine is None or not machine.spoke:
            machine = Machine(work, kernel, "tcg", TIMEOUT_S)
        if machine.why is None:
            return
        print("# " + machine.why)
        console = os.path.join(work, "console")
        if os.path.exists(console):
            print("# the machine's console:")
            with open(console, encoding="utf-8", errors="replace") as f:
                for line in f.read().splitlines()[-200:]:
                    print("#   " + line)
        if not machine.told:
            print("Bail out! " + machine.why, flush=True)
        sys.exit(1)


main()
