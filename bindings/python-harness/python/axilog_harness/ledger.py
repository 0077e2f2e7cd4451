"""Declared schemas of a ledger (SRS-004 sections 8.3 and 9.2, decision D30): the code with which the
command ``axilog`` validates questions and answers."""

from axilog_harness._native import InvalidSchemaError, Schema

__all__ = ["InvalidSchemaError", "Schema"]
