"""What the harness of axilog does, for Python. Each module has a part of it:

- :mod:`axilog_harness.bundle`: step awareness bundles, and grammars in llama.cpp's notation.
- :mod:`axilog_harness.x0l`: the one JSON object in the text of a language model.

The package ``axilog`` records answers and decides, and needs nothing of this one.
"""
