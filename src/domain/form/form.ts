import { GatewayError } from '../errors.ts'
import { type Worded, worded } from '../wording/worded.ts'
import { readDisposition } from './disposition.ts'

/** A part of a form (RFC 7578). */
export interface FormPart {
  name: string
  /** Of a file, its base name; null: the part is a text, whatever its name. */
  filename: string | null
  /** As the caller wrote it; null: he did not. */
  type: string | null
  /** In the memory of the body. */
  data: Buffer
}

/** A caller's form, in its order: the parts are the request, not the bytes around them. */
export type Form = readonly FormPart[]

const MOST_PARTS = 64
const MOST_HEAD_BYTES = 16 * 1024
const MOST_NAME_BYTES = 100
/** References of speakers are texts of this size (data URLs). */
const MOST_TEXT_BYTES = 4 * 1024 * 1024

const DASHES = Buffer.from('--')
const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')

/** Null: the body is no form. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i.exec(
      contentType,
    ) ?? []
  return quoted ?? plain ?? null
}

export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(contentType)
}

/**
 * The parts of a body that is there as a whole: a search for its boundaries, which copies nothing and has no state. What
 * two readers could take for different forms is refused.
 */
export function readForm(body: Buffer, contentType: string): Form {
  const boundary = boundaryOf(contentType)
  if (boundary === null) throw bad(worded`The content type has no valid boundary.`)
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const opening = delimiter.subarray(LINE_END.length)
  if (!body.subarray(0, opening.length).equals(opening)) throw bad(worded`The form does not begin with its boundary.`)
  const parts: FormPart[] = []
  for (let at = opening.length; ; ) {
    if (startsWith(body, DASHES, at)) {
      const rest = body.subarray(at + DASHES.length)
      if (rest.length > 0 && !rest.equals(LINE_END)) throw bad(worded`There are bytes behind the end of the form.`)
      return parts
    }
    if (!startsWith(body, LINE_END, at))
      throw bad(worded`The form ends without its last boundary, or one of them is damaged.`)
    if (parts.length === MOST_PARTS) throw bad(worded`The form has more than ${MOST_PARTS} parts.`)
    const headEnd = body.subarray(at, at + MOST_HEAD_BYTES).indexOf(HEAD_END)
    if (headEnd < 0) throw bad(worded`The head of a part does not end, or has more than ${MOST_HEAD_BYTES} bytes.`)
    const from = at + headEnd + HEAD_END.length
    const to = body.indexOf(delimiter, from)
    if (to < 0) throw bad(worded`The form ends without its last boundary.`)
    parts.push(partOf(body.subarray(at + LINE_END.length, at + headEnd), body.subarray(from, to)))
    at = to + delimiter.length
  }
}

/** The text of a part. */
export function textOf({ name, data }: FormPart): string {
  const text = DECODER.decode(data)
  if (text.includes('\ufffd') && !isValid(data)) throw bad(worded`${name}: is not valid UTF-8`)
  return text
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })
const STRICT = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

function isValid(data: Buffer): boolean {
  try {
    STRICT.decode(data)
    return true
  } catch {
    return false
  }
}

function partOf(head: Buffer, data: Buffer): FormPart {
  if (!isValid(head)) throw bad(worded`The head of a part is not valid UTF-8.`)
  const fields = new Map<string, string>()
  for (const line of head.toString('utf8').split('\r\n')) {
    if (line === '') continue
    const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\r\n\0]*?)[ \t]*$/.exec(line) ?? []
    const known = name?.toLowerCase()
    if (known === undefined || value === undefined || fields.has(known))
      throw bad(worded`The head of a part cannot be read.`)
    fields.set(known, value)
  }
  const { name, filename } = readDisposition(fields.get('content-disposition') ?? '')
  if (name === null || Buffer.byteLength(name) > MOST_NAME_BYTES)
    throw bad(worded`A part of the form has no name, or one of more than ${MOST_NAME_BYTES} bytes.`)
  const coding = fields.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!['7bit', '8bit', 'binary'].includes(coding))
    throw bad(worded`${name}: send it as it is, without a transfer encoding`)
  const type = fields.get('content-type') ?? null
  if (filename === null) {
    if (data.length > MOST_TEXT_BYTES)
      throw bad(worded`${name}: has more than ${MOST_TEXT_BYTES} bytes; send it as a file`)
    const charset = /;\s*charset="?([^";\s]+)/i.exec(type ?? '')?.[1] ?? 'utf-8'
    if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw bad(worded`${name}: send it in UTF-8`)
  }
  return { name, filename, type, data }
}

function startsWith(body: Buffer, what: Buffer, at: number): boolean {
  return body.subarray(at, at + what.length).equals(what)
}

function bad(what: Worded): GatewayError {
  return new GatewayError('invalid_request', what)
}
