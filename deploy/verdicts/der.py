# SPDX-License-Identifier: Apache-2.0
"""ASN.1 in DER, right or wrong, as the mutants need it: what is written is what is asked for."""


def length(count):
    if count < 0x80:
        return bytes([count])
    size = (count.bit_length() + 7) // 8
    return bytes([0x80 | size]) + count.to_bytes(size, "big")


def element(tag, *contents):
    content = b"".join(contents)
    return bytes([tag]) + length(len(content)) + content


def sequence(*contents):
    return element(0x30, *contents)


def set_of(*contents):
    return element(0x31, *contents)


def integer(number):
    return element(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True))


def octets(content):
    return element(0x04, content)


def bits(content):
    return element(0x03, b"\0" + content)


def utf8(text):
    return element(0x0C, text.encode())


def ia5(text):
    return element(0x16, text.encode())


def oid(text):
    numbers = [int(part) for part in text.split(".")]
    content = bytes([numbers[0] * 40 + numbers[1]])
    for number in numbers[2:]:
        part = [number & 0x7F]
        while number > 0x7F:
            number >>= 7
            part.insert(0, number & 0x7F | 0x80)
        content += bytes(part)
    return element(0x06, content)


def algorithm(name, parameters=b"\x05\0"):
    return sequence(oid(name), parameters)


def read(encoded, start=0):
    """Tag, content and end of the element at a place."""
    tag, size, at = encoded[start], encoded[start + 1], start + 2
    if size >= 0x80:
        count = size & 0x7F
        size, at = int.from_bytes(encoded[at:at + count], "big"), at + count
    return tag, encoded[at:at + size], at + size


def children(encoded):
    """The elements inside of an element, each whole."""
    content, place, found = read(encoded)[1], 0, []
    while place < len(content):
        end = read(content, place)[2]
        found.append(content[place:end])
        place = end
    return found
