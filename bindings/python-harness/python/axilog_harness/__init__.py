"""What the harness of axilog does, for Python. Each module has a part of it:

- :mod:`axilog_harness.ledger`: JSON Schemas of what oracles are asked and answer.

The package ``axilog`` records answers and decides; it uses this one where a ledger declares schemas.
"""
