# PlatformIO: links the archive in src/ that fits the processor and the calling convention of the board.

import os

Import("env")  # noqa: F821: PlatformIO defines it and env


def fitting_folder(sources, board, flags):
    """The folder below `sources` with the archive for this board, or None.

    `flags` are those of the compiler: of several archives for one processor, the one with their calling convention for
    floating-point numbers is taken.
    """
    convention = "soft"
    for flag in flags:
        if isinstance(flag, str) and flag.startswith("-mfloat-abi="):
            convention = flag.removeprefix("-mfloat-abi=")
    for key in ("build.mcu", "build.cpu"):
        processor = os.path.join(sources, board.get(key, "") or "-")
        if not os.path.isdir(processor):
            continue
        if convention == "soft":
            return processor
        for folder in sorted(os.listdir(processor)):
            if folder.endswith("-" + convention):
                return os.path.join(processor, folder)
    return None


board = env.BoardConfig()  # noqa: F821
flags = env.Flatten([env.get("CCFLAGS", []), env.get("LINKFLAGS", [])])  # noqa: F821
folder = fitting_folder(os.path.realpath("src"), board, flags)
if folder is None:
    processor = board.get("build.cpu", "") or board.get("build.mcu", "")
    raise SystemExit(f"axilog has no archive for the processor {processor!r}; its README lists those that it has")
env.Append(LIBPATH=[folder], LIBS=["axilog"])  # noqa: F821
