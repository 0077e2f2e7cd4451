"""Reads the manifests of the packages with the programs that their build systems read them with.

read_manifests.py ARDUINO_PACKAGE ZEPHYR_PACKAGE
"""

import os
import sys
import tempfile

import kconfiglib
import yaml
from platformio.package.manifest.parser import ManifestParserFactory
from platformio.package.manifest.schema import ManifestSchema

arduino, zephyr = sys.argv[1:]

for name in ("library.json", "library.properties"):
    manifest = ManifestParserFactory.new_from_file(os.path.join(arduino, name)).as_dict()
    # PlatformIO downloads the list of licences.
    manifest.pop("license", None)
    read = ManifestSchema().load_manifest(manifest)
    print(f"{name}: {read['name']} {read['version']}")

with open(os.path.join(zephyr, "zephyr/module.yml")) as file:
    module = yaml.safe_load(file)
kconfig = os.path.join(zephyr, module["build"]["kconfig"])
with tempfile.TemporaryDirectory() as folder:
    # What Zephyr's own Kconfig files declare.
    main = os.path.join(folder, "Kconfig")
    with open(main, "w") as file:
        for symbol in ("ARM", "CPU_CORTEX_M", "RISCV", "64BIT"):
            file.write(f"config {symbol}\n\tbool '{symbol}'\n")
        file.write(f'source "{kconfig}"\n')
    options = kconfiglib.Kconfig(main, warn_to_stderr=False)
if options.warnings:
    sys.exit("\n".join(options.warnings))


def is_offered(*board):
    """Whether AXILOG can be chosen on a board that sets these options."""
    options.unset_values()
    for symbol in board:
        options.syms[symbol].set_value("y")
    return options.syms["AXILOG"].assignable == (0, 2)


offered = {
    board: is_offered(*board) for board in [("ARM", "CPU_CORTEX_M"), ("ARM",), ("RISCV",), ("RISCV", "64BIT"), ()]
}
expected = [("ARM", "CPU_CORTEX_M"), ("RISCV",)]
if [board for board, offers in offered.items() if offers] != expected:
    sys.exit(f"Kconfig offers AXILOG on {offered}, expected on {expected}")
print("Kconfig: offered on Cortex-M and on RISC-V of 32 bits")
