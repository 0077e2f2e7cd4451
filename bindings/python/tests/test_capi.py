"""The binding against the headers and the C compiler: every function, struct, enum and macro."""

from __future__ import annotations

import ctypes
import enum
from typing import Any

from axilog import capi, enums
from axilog.capi import constants, functions, host, inlines, structs
from tests import headers

ENUMS: dict[str, tuple[type[enum.IntEnum], str]] = {
    "ax_completion_state_t": (enums.Completion, "AX_COMPLETION_"),
    "ax_failure_type_t": (enums.Failure, "AX_FAILURE_"),
    "ax_input_kind_t": (enums.InputKind, "AX_INPUT_KIND_"),
    "ax_profile_t": (enums.Profile, "AX_PROFILE_"),
    "ax_policy_err_t": (enums.PolicyCode, "AX_POLICY_"),
    "ax_policy_cmp_t": (enums.Comparison, "AX_POLICY_CMP_"),
    "ax_policy_result_t": (enums.PolicyResult, "AX_POLICY_"),
    "ax_health_state_t": (enums.Health, "AX_HEALTH_"),
    "ax_violation_t": (enums.Violation, "AX_VIOLATION_"),
    "ax_input_class_t": (enums.InputClass, "AX_INPUT_"),
    "ax_verdict_t": (enums.Verdict, "AX_VERDICT_"),
}

SCALARS: dict[str, Any] = {
    "void": None,
    "int": ctypes.c_int,
    "size_t": ctypes.c_size_t,
    "uint8_t": ctypes.c_uint8,
    "uint32_t": ctypes.c_uint32,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "q16_16_t": structs.q16_16_t,
}


def expected_ctype(declared: str) -> Any:
    """The ctypes type that the binding must have for a declared type."""
    name = declared.replace("const ", "").replace(" *", "")
    if not declared.endswith("*"):
        return ctypes.c_int if name in ENUMS else SCALARS[name]
    if name in ("char", "uint8_t"):
        # The library writes only to a parameter that is not const, which needs a buffer.
        return ctypes.c_char_p if declared.startswith("const") else ctypes.POINTER(ctypes.c_char)
    if name in ENUMS:
        return ctypes.POINTER(ctypes.c_int)
    return ctypes.POINTER(SCALARS[name] if name in SCALARS else getattr(structs, name))


def test_every_function_has_the_types_of_its_declaration() -> None:
    declared = headers.functions()
    assert len(declared) > 80
    assert set(functions.PROTOTYPES) == set(declared)
    for name, (result, arguments) in declared.items():
        bound = getattr(capi.lib, name)
        assert bound.restype is expected_ctype(result), name
        assert list(bound.argtypes) == [expected_ctype(argument) for argument in arguments], name


def test_every_function_has_the_symbol_of_the_headers() -> None:
    expected = headers.renamed()
    assert len(expected) > 20
    symbols = {name: getattr(capi.lib, name).__name__ for name in functions.PROTOTYPES}
    assert {name: symbol for name, symbol in symbols.items() if symbol != name} == expected


def test_every_struct_has_the_layout_of_the_c_compiler() -> None:
    declared = headers.structs()
    assert len(declared) > 15
    lines = []
    for name, fields in declared.items():
        lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        for field in fields:
            size = f"sizeof((({name} *)0)->{field})"
            place = f"offsetof({name}, {field})"
            lines.append(f'    printf("{name}.{field} %zu %zu\\n", {place}, {size});')
    expected = headers.run_c("\n".join(lines))
    found = ""
    for name in declared:
        struct = getattr(structs, name)
        found += f"{name} {ctypes.sizeof(struct)}\n"
        for field, *_ in struct._fields_:
            place = getattr(struct, field)
            found += f"{name}.{field} {place.offset} {place.size}\n"
    assert found == expected


def test_every_enum_has_the_numbers_of_the_c_compiler() -> None:
    declared = headers.enums()
    assert set(declared) == set(ENUMS)
    names = [name for members in declared.values() for name in members]
    printed = headers.run_c("\n".join(f'    printf("{n} %d\\n", (int){n});' for n in names))
    numbers = {name: int(number) for name, number in map(str.split, printed.splitlines())}
    for name, members in declared.items():
        python, prefix = ENUMS[name]
        short = {m: m[len(prefix) :].replace("ERR_", "") for m in members}
        assert {short[m]: numbers[m] for m in members} == dict(
            (member.name, member.value) for member in python
        ), name


def test_every_macro_has_the_value_of_the_c_compiler() -> None:
    declared = headers.macros()
    strings = [name for name, value in declared.items() if value.startswith('"')]
    numbers = [name for name in declared if name not in strings]
    body = [f'    printf("{name} %s\\n", {name});' for name in strings]
    body += [f'    printf("{name} %" PRId64 "\\n", (int64_t){name});' for name in numbers]
    for line in headers.run_c("\n".join(body)).splitlines():
        name, value = line.split(" ", 1)
        expected = value.encode() if name in strings else int(value)
        assert getattr(constants, name) == expected, name
        if name.startswith("AX_ERR_") or name == "AX_OK":
            assert enums.ReturnCode[name.replace("AX_", "").replace("ERR_", "")] == expected
    ours = {name for name in vars(constants) if name.isupper() and not name.startswith("_")}
    assert ours - {"Q16_16_FROM_INT"} == set(declared)
    assert constants.Q16_16_FROM_INT(-3) == int(
        headers.run_c('    printf("%d", (int)Q16_16_FROM_INT(-3));')
    )


def test_every_inline_function_has_its_python_version() -> None:
    declared = headers.inlines()
    assert len(declared) == 9
    for name, (struct_name,) in declared.items():
        struct = getattr(structs, struct_name)()
        ctypes.memset(ctypes.byref(struct), 1, ctypes.sizeof(struct))
        function = getattr(inlines, name)
        if name.endswith(("_any", "_is_null")):
            assert function(struct) == int(name == "ct_fault_any"), name
            (inlines.ax_oracle_params_init_null if "params" in name else inlines.ct_fault_init)(
                struct
            )
            assert function(struct) == int(name != "ct_fault_any"), name
        elif "params" not in name:
            function(struct)
            assert not any(bytes(struct)), name


def test_what_is_called_of_the_host_library_is_as_the_c_compiler_has_it() -> None:
    found = {name: value for name, value in vars(host).items() if name.startswith("AXH_")}
    body = [f'    printf("{name} %d\\n", {name});' for name in found]
    structs = [struct for name, struct in vars(host).items() if name.startswith("axh_")]
    assert (len(found), len(structs)) == (39, 12)
    for struct in structs:
        name = struct.__name__
        found[name] = ctypes.sizeof(struct)
        body.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in struct._fields_:
            place = getattr(struct, field)
            found[f"{name}.{field}"] = place.offset << 16 | place.size
            size = f"sizeof((({name} *)0)->{field})"
            number = f"offsetof({name}, {field}) << 16 | {size}"
            body.append(f'    printf("{name}.{field} %zu\\n", {number});')
    printed = headers.run_c("\n".join(body)).splitlines()
    assert {name: int(number) for name, number in map(str.split, printed)} == found


def test_the_genesis_is_exported() -> None:
    entry = structs.ax_ledger_entry_t()
    assert capi.lib.ax_ledger_genesis_entry(ctypes.byref(entry)) == 0
    assert bytes(entry.chain) == capi.golden_genesis_hash()
    assert capi.golden_genesis_hash().hex().startswith("7bb0d791697306ce")
