/**
 * A loop over the inside of a JSON text, sixteen bytes at a time, which only WebAssembly can do: a megabyte of
 * conversation takes 0.2 ms where a loop in JavaScript over four bytes at a time takes 1.1. It is so short that it is put
 * together here, instruction by instruction, and no tool is needed to build it.
 */
export interface ScanProgram {
  /** What it looks at: a piece of the bytes, and a margin behind it. */
  window: Uint8Array
  /**
   * Where it comes to stand, begun at this place of the window: at a quote, at a control character, at an escape that is
   * none, or past the window, in the margin.
   */
  stop(begin: number): number
}

export const WINDOW_BYTES = 64 * 1024
/** What begins in the window, sixteen bytes or an escape, ends in the margin. */
export const MARGIN_BYTES = 16

/**
 * Behind the margin are two tables, by byte: how long an escape is of which this follows the backslash; what is a digit. Their
 * figures are no part of any escape: one that goes beyond the margin is none, and is looked at again in the next window.
 */
const ESCAPES = WINDOW_BYTES + MARGIN_BYTES
const DIGITS = ESCAPES + 256
const PAGES = 2
/** How long escapes are: a backslash and a letter, or \u and four hexadecimal digits. */
const [SHORT, CODE] = [2, 6]
const [QUOTE, BACKSLASH, FIRST_PRINTED] = [0x22, 0x5c, 0x20]

/** As much of it as is used here: types of Node have none of it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: { memory: { buffer: ArrayBuffer }; stop: ScanProgram['stop'] } }
}

/** Null where WebAssembly is switched off. */
export function loadScanProgram(): ScanProgram | null {
  try {
    const { memory, stop } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(MODULE))).exports
    const bytes = new Uint8Array(memory.buffer)
    for (const letter of Buffer.from('"\\/bfnrt')) bytes[ESCAPES + letter] = SHORT
    for (const letter of Buffer.from('u')) bytes[ESCAPES + letter] = CODE
    for (const digit of Buffer.from('0123456789abcdefABCDEF')) bytes[DIGITS + digit] = 1
    return { window: bytes.subarray(0, WINDOW_BYTES + MARGIN_BYTES), stop }
  } catch {
    return null
  }
}

type Code = readonly number[]

const unsigned = (value: number): Code => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)])
const signed = (value: number): Code => (value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)])

// The instructions that are used, as the specification of WebAssembly numbers them.
const literal = (value: number): Code => [0x41, ...signed(value)]
const get = (variable: number): Code => [0x20, variable]
const set = (variable: number): Code => [0x21, variable]
const setAndGet = (variable: number): Code => [0x22, variable]
const byteAt = (offset: number): Code => [0x2d, 0, ...unsigned(offset)]
const [ADD, AND, SHIFT, EQUAL, IS_ZERO, AT_LEAST, LOWEST_BIT] = [0x6a, 0x71, 0x76, 0x46, 0x45, 0x4f, 0x68]
const SIXTEEN_BYTES: Code = [0xfd, 0, 0, 0]
const SIXTEEN_TIMES: Code = [0xfd, 0x0f]
const EQUAL_BYTES: Code = [0xfd, 0x23]
const SMALLER_BYTES: Code = [0xfd, 0x26]
const OR_BYTES: Code = [0xfd, 0x50]
const BIT_OF_EACH: Code = [0xfd, 0x64]
const [NO_VALUE, WHOLE, VECTOR] = [0x40, 0x7f, 0x7b]
const END = 0x0b
const loop = (...body: Code[]): Code => [0x03, NO_VALUE, ...body.flat(), END]
const when = (condition: Code, ...then: Code[]): Code => [...condition, 0x04, NO_VALUE, ...then.flat(), END]
const goOn = (depth: number): Code => [0x0c, depth]
const RETURN = 0x0f
const UNREACHABLE = 0x00

// Where it is; which of the bytes from there on are special, the first in the lowest bit; how long an escape is; the bytes.
const [AT, SPECIAL, LENGTH, BYTES] = [0, 1, 2, 3]
const HERE: Code = [...get(AT), RETURN]
const advance = (by: Code): Code => [...get(AT), ...by, ADD, ...set(AT)]
const isByte = (byte: number): Code => [...get(BYTES), ...literal(byte), ...SIXTEEN_TIMES, ...EQUAL_BYTES]
const isDigit = (offset: number): Code => [...get(AT), ...byteAt(offset), ...byteAt(DIGITS)]
const areDigits: Code = [...isDigit(2), ...isDigit(3), AND, ...isDigit(4), AND, ...isDigit(5), AND]
/** By a number that is known here: the processor can guess it, and need not wait for the table. */
const pass = (length: number): Code => [
  ...[...get(SPECIAL), ...get(SPECIAL), LOWEST_BIT, SHIFT, ...literal(length), SHIFT, ...set(SPECIAL)],
  ...advance(literal(length)),
]

const STOP: Code = [
  ...loop(
    when([...get(AT), ...literal(WINDOW_BYTES), AT_LEAST], HERE),
    [...get(AT), ...SIXTEEN_BYTES, ...setAndGet(BYTES), ...literal(FIRST_PRINTED), ...SIXTEEN_TIMES, ...SMALLER_BYTES],
    [...isByte(QUOTE), ...OR_BYTES, ...isByte(BACKSLASH), ...OR_BYTES, ...BIT_OF_EACH, ...setAndGet(SPECIAL)],
    when([IS_ZERO], advance(literal(16)), goOn(1)),
    loop(
      advance([...get(SPECIAL), LOWEST_BIT]),
      when([...get(AT), ...byteAt(0), ...literal(BACKSLASH), EQUAL, IS_ZERO], HERE),
      [...get(AT), ...byteAt(1), ...byteAt(ESCAPES), ...setAndGet(LENGTH)],
      when([IS_ZERO], HERE),
      when([...get(LENGTH), ...literal(SHORT), EQUAL], pass(SHORT), when(get(SPECIAL), goOn(2)), goOn(2)),
      when([...areDigits, IS_ZERO], HERE),
      pass(CODE),
      when(get(SPECIAL), goOn(1)),
    ),
    goOn(0),
  ),
  UNREACHABLE,
  END,
]

const sized = (content: Code): Code => [...unsigned(content.length), ...content]
const section = (id: number, content: Code): Code => [id, ...sized(content)]
const name = (text: string): Code => sized([...Buffer.from(text)])

const MODULE: Code = [
  ...[...Buffer.from('\0asm'), 1, 0, 0, 0],
  // One function, from a number to a number; one memory, which does not grow; both can be reached.
  ...section(1, [1, 0x60, 1, WHOLE, 1, WHOLE]),
  ...section(3, [1, 0]),
  ...section(5, [1, 1, PAGES, PAGES]),
  ...section(7, [2, ...name('memory'), 2, 0, ...name('stop'), 0, 0]),
  ...section(10, [1, ...sized([2, 2, WHOLE, 1, VECTOR, ...STOP])]),
]
