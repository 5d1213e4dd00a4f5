"""What a hostile zygote does when one of its children has ended, by the CPU limit that asks for it."""

from __future__ import annotations

import os
import signal
import socket
import time

from langserver.wire.control import SIZE, Message, Op

after_birth = []  # what it does once it has told of its next child


def tell(zygote, op, slot=0, numbers=(), *descriptors):
    raw(zygote, Message(op, slot, numbers).encode(), *descriptors)


def raw(zygote, data, *descriptors):
    try:
        socket.send_fds(zygote._control, [data], descriptors)
    except OSError:
        linger()  # the server has closed its end


def linger():
    """Does not end by itself, whatever becomes of its socket."""
    while True:
        time.sleep(60)


def cut_message(zygote, slot):
    raw(zygote, Message(Op.EXIT, slot).encode()[:-1])
    linger()


def long_message(zygote, slot):
    raw(zygote, Message(Op.EXIT, slot).encode() + b"x")
    linger()


def empty_message(zygote, slot):
    raw(zygote, b"", 0)
    linger()


def noise(zygote, slot):
    for _ in range(1000):
        raw(zygote, os.urandom(SIZE))
    linger()


def unknown_child(zygote, slot):
    tell(zygote, Op.EXIT, 2**64 - 1)
    linger()


def servers_word(zygote, slot):
    tell(zygote, Op.SPAWN, slot)
    linger()


def no_such_end(zygote, slot):
    tell(zygote, Op.EXIT, slot, (2**62, -(2**62), -(2**63), 2**63 - 1))
    linger()


def end_of_one_who_lives(zygote, slot):
    """A sibling's end is told, with a good exit status, while it runs."""
    for child in zygote._children.values():
        if child.slot != slot:
            tell(zygote, Op.EXIT, child.slot)
    linger()


def no_such_errno(zygote, slot):
    tell(zygote, Op.LIMITED, slot, (2**62,))
    linger()


def many_descriptors(zygote, slot):
    for _ in range(2000):
        tell(zygote, Op.SPAWNED, slot, (), 0)
    linger()


def many_answers(zygote, slot):
    for number in range(20_000):
        tell(zygote, Op.TRIED, number)
    linger()


def many_last_words(zygote, slot):
    for _ in range(20_000):
        tell(zygote, Op.EXIT, slot)
    linger()


def servers_own_pidfd(zygote, slot):
    """Its next child is said to be the server itself, which will have it killed one day. It has that one's number only
    without namespaces."""
    zygote._tell = lambda message, *descriptors: tell(
        zygote, message.op, message.slot, message.numbers, *([os.pidfd_open(os.getppid())] if descriptors else [])
    )
    tell(zygote, Op.EXIT, slot)


def no_pidfd(zygote, slot):
    zygote._tell = lambda message, *descriptors: tell(
        zygote, message.op, message.slot, message.numbers, *([0] if descriptors else [])
    )
    tell(zygote, Op.EXIT, slot)


def twice_born(zygote, slot):
    after_birth.append(lambda zygote, slot: tell(zygote, Op.SPAWNED, slot, (), 0))
    tell(zygote, Op.EXIT, slot)


def dies(zygote, slot):
    os.kill(os.getpid(), signal.SIGKILL)
    os._exit(1)


_FIRST = 100
ALL = [
    cut_message, long_message, empty_message, noise, unknown_child, servers_word, no_such_end, end_of_one_who_lives,
    no_such_errno, many_descriptors, many_answers, many_last_words, servers_own_pidfd, no_pidfd, twice_born, dies,
]  # fmt: skip
ACTS = dict(enumerate(ALL, _FIRST))
NUMBERS = {act.__name__: number for number, act in ACTS.items()}
