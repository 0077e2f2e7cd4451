#!/usr/bin/env python3
"""llama.cpp's own grammars, for a test that compares another reader of them.

    reference.py judge < JOBS
    reference.py sample PORT < JOBS

Each line of input is a job, each line of output its result, both JSON.

judge: the job {"grammar": text, "texts": [text, ...]} is given to the functions with which llama.cpp holds a
model to a grammar, and which its library exports. The result is null where llama.cpp refuses the grammar; else
a list with a number for each text: -1 the text fits, -2 it is the beginning of one that fits, N the character
with the index N, from 0, could not stand there. A process of its own does the work, because some grammars are
never ended on or take all memory: the result "died" says so.

sample: the job {"grammar": text, "seed": n, "tokens": n, "banned": [token, ...]} is put to a server of llama.cpp
on that port, at temperature 1; the banned tokens are never chosen. The result is {"status": code} with the HTTP status, and if it is 200 {"text": answer, "ended":
whether the grammar and not the number of tokens ended it}.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import urllib.error
import urllib.request

# What one grammar may take: seconds of a processor, however busy the machine is, and bytes.
SECONDS = 3
MEMORY = 400 << 20

# The part of the output of a job that says how its process ended.
DIED = "died"


class Library:
    """The functions that llama.cpp's library has for grammars, under the names that a C++ compiler gives them."""

    def __init__(self):
        import xllamacpp.xllamacpp

        library = ctypes.CDLL(xllamacpp.xllamacpp.__file__)
        pointer, number = ctypes.c_void_p, ctypes.c_size_t

        def function(name, result, *arguments):
            found = getattr(library, name)
            found.restype, found.argtypes = result, arguments
            return found

        # llama_grammar_init_impl(vocab, grammar, root, lazy, patterns, patterns' number, tokens, tokens' number)
        self.read = function(
            "_Z23llama_grammar_init_implPK11llama_vocabPKcS3_bPS3_mPKim", pointer,
            pointer, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_bool, pointer, number, pointer, number,
        )  # fmt: skip
        self.accept = function("_Z20llama_grammar_acceptP13llama_grammarj", None, pointer, ctypes.c_uint32)
        self.stacks = function("_Z24llama_grammar_get_stacksP13llama_grammar", pointer, pointer)
        self.free = function("_Z23llama_grammar_free_implP13llama_grammar", None, pointer)

    def open(self, grammar):
        return self.read(None, grammar.encode(), b"root", False, None, 0, None, 0)

    def judge(self, grammar, text):
        """What the text is, as a number; the grammar has been read before."""
        opened = self.open(grammar)
        try:
            for index, character in enumerate(text):
                self.accept(opened, ord(character))
                begin, end = vector(self.stacks(opened))
                if begin == end:
                    return index
            begin, end = vector(self.stacks(opened))
            # A stack on which nothing is left says that the text may end.
            stacks = (vector(stack) for stack in range(begin, end, 3 * ctypes.sizeof(ctypes.c_void_p)))
            return -1 if any(first == last for first, last in stacks) else -2
        finally:
            self.free(opened)


def vector(address):
    """Where the elements of a std::vector begin and end."""
    return tuple(ctypes.cast(address, ctypes.POINTER(ctypes.c_size_t * 2)).contents)


def result_of(library, job):
    opened = library.open(job["grammar"])
    if not opened:
        return None
    library.free(opened)
    return [library.judge(job["grammar"], text) for text in job["texts"]]


def work(library, jobs, output):
    """Writes the result of each job as it comes."""
    pages = int(open("/proc/self/statm").read().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # llama.cpp says there why it refuses a grammar.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for job in jobs:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        line = json.dumps(result_of(library, job))
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.write(output, line.encode() + b"\n")


def judge(jobs):
    library = Library()
    done = 0
    while done < len(jobs):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                work(library, jobs[done:], writer)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as results:
            for line in results:
                print(line, end="")
                done += 1
        os.waitpid(child, 0)
        if done < len(jobs):
            print(json.dumps(DIED))
            done += 1


def sample(jobs, port):
    for job in jobs:
        body = {
            "prompt": "Write one.",
            "grammar": job["grammar"],
            "seed": job["seed"],
            "n_predict": job["tokens"],
            "temperature": 1.0,
            "logit_bias": [[token, False] for token in job["banned"]],
        }
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/completion",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                answer = json.load(response)
                result = {
                    "status": response.status,
                    "text": answer["content"],
                    "ended": answer["stop_type"] == "eos",
                }
        except urllib.error.HTTPError as error:
            result = {"status": error.code}
        print(json.dumps(result), flush=True)


def main():
    command, *rest = sys.argv[1:]
    jobs = [json.loads(line) for line in sys.stdin]
    if command == "judge":
        judge(jobs)
    else:
        sample(jobs, int(rest[0]))


if __name__ == "__main__":
    main()
