"""What a web socket has to answer, whatever is spoken on it: closes, fragments, pings, UTF-8."""

import json
import os

from report_support import Client, equal, expect

TEXT, BINARY, CLOSE, PING, PONG, CONTINUATION = 0x1, 0x2, 0x8, 0x9, 0xA, 0x0
MASK = b"\x01\x02\x03\x04"


def raw(opcode, payload=b"", fin=True, reserved=0, masked=True):
    """A frame as it stands on the wire, whether the protocol allows it or not."""
    head = bytes([(0x80 if fin else 0) | reserved << 4 | opcode])
    mask = 0x80 if masked else 0
    if len(payload) < 126:
        head += bytes([mask | len(payload)])
    elif len(payload) < 1 << 16:
        head += bytes([mask | 126]) + len(payload).to_bytes(2, "big")
    else:
        head += bytes([mask | 127]) + len(payload).to_bytes(8, "big")
    if not masked:
        return head + payload
    return head + MASK + bytes(byte ^ MASK[place % 4] for place, byte in enumerate(payload))


def message(size=None):
    """A message that makes a session, as long as wanted."""
    text = json.dumps({"event": "user.create_session", "content": {"pad": ""}})
    return text if size is None else text[:-3] + "x" * (size - len(text)) + text[-3:]


def code(number):
    return number.to_bytes(2, "big")


BROKEN = {
    **{f"reserved bits {bits}": ([raw(TEXT, b"{}", reserved=bits)], 1002) for bits in (1, 2, 4, 7)},
    **{f"opcode {opcode}": ([raw(opcode)], 1002) for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)},
    "a frame without a mask": ([raw(TEXT, b"{}", masked=False)], 1002),
    "a ping in fragments": ([raw(PING, b"a", fin=False)], 1002),
    "a close in fragments": ([raw(CLOSE, code(1000), fin=False)], 1002),
    "a ping of 126 bytes": ([raw(PING, b"x" * 126)], 1002),
    "a continuation of nothing": ([raw(CONTINUATION, b"x")], 1002),
    "a text within a text": ([raw(TEXT, b"{", fin=False), raw(TEXT, b"}")], 1002),
    "a close of one byte": ([raw(CLOSE, b"\x03")], 1002),
    "a close of 126 bytes": ([raw(CLOSE, code(1000) + b"x" * 124)], 1002),
    **{f"close code {number}": ([raw(CLOSE, code(number))], 1002) for number in (0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65535)},
    **{
        f"no UTF-8: {text!r}": ([raw(TEXT, text)], 1007)
        for text in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"ok \xe4\xb8", b"\x80", "好".encode() + b"\xfe")
    },
    "no UTF-8 in fragments": ([raw(TEXT, "好".encode()[:2], fin=False), raw(CONTINUATION, b"x")], 1007),
}


def socket(server, model):
    for what, (frames, expected) in BROKEN.items():
        client = Client(server)
        client.socket.socket.sendall(b"".join(frames))
        closed = client.closed()
        equal(closed and closed[0], expected, what)
    for number in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999):
        client = Client(server)
        client.socket.close(number, "再见")
        equal(client.socket.protocol.close_rcvd.code, number, "the code of a close comes back")
    client = Client(server)
    client.socket.socket.sendall(raw(CLOSE))
    client.closed()
    expect(client.socket.protocol.close_rcvd is not None, "a close without a code is answered")
    with Client(server) as client:
        for payload in (b"", b"x", b"\x00\xff" * 62, b"y" * 125):
            expect(client.socket.ping(payload).wait(30), f"the pong of {len(payload)} bytes")
        for size in (125, 126, 127, 65535, 65536, 65537, 1 << 19):
            text = message(size)
            equal(len(text), size, "the size that is wanted")
            client.raw(text)
            equal(client.next()["event"], "agent.session_created", f"a message of {size} bytes")
        # One byte a frame, so that every character is cut; a ping between any two is answered at once.
        question = json.dumps({"event": "问题：" + "好" * 20}, ensure_ascii=False).encode()
        wire = client.socket.socket
        pongs = []
        for place in range(len(question)):
            opcode = CONTINUATION if place else TEXT
            wire.sendall(raw(opcode, question[place:place + 1], fin=place == len(question) - 1))
            if place % 10 == 5:
                pongs.append(client.socket.ping(os.urandom(8)))
        expect(all(pong.wait(30) for pong in pongs), "a ping between fragments")
        equal(client.next()["content"], "Unknown event type or missing session_id: 问题：" + "好" * 20, "what was put together")
        client.raw([message()[:10], "", message()[10:]])
        equal(client.next()["event"], "agent.session_created", "an empty fragment")
        wire.sendall(raw(PONG, b"unasked"))
        client.raw(message())
        equal(client.next()["event"], "agent.session_created", "a pong that nobody asked for")
    server.is_healthy()
