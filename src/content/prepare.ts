import { type RedactionCounts, Redactor } from '../domain/content/redact.ts'
import type { Rule } from '../domain/content/redactions.ts'
import { ASSEMBLERS } from '../endpoints/assemblers.ts'
import { assembled, eventsIn } from '../endpoints/assembly.ts'

/** As received or sent. */
export interface RawBody {
  text: string
  /** Of all of it, in UTF-8. */
  bytes: number
  /** The text is its beginning. */
  isCut: boolean
}

/** As stored: redacted. */
export interface StoredBody extends RawBody {
  /** The text is JSON; otherwise it is to be read as text. */
  isJson: boolean
}

/** What is encrypted and stored of a call. */
export interface StoredContent {
  endpoint: string
  request: StoredBody | null
  /** Null: nothing was served. Of a stream the text that its events add up to. */
  answer: StoredBody | null
  redacted: RedactionCounts
}

export interface RawContent {
  request: RawBody | null
  /** A whole answer, or the frames of a stream. */
  answer: (RawBody & { isStream: boolean }) | null
}

/** More characters of a body are not stored. */
export const STORED_CHARACTERS = 1024 * 1024
/** What a rule would find may begin before a cut and end behind it. */
const UNSURE_CHARACTERS = 4096

/** Redacts what was said in a call. Pure. */
export function prepareContent(raw: RawContent, endpoint: string, rules: readonly Rule[]): StoredContent {
  const redactor = new Redactor(rules)
  const { request, answer } = raw
  return {
    endpoint,
    request: request === null ? null : storedBody(request, redactor),
    answer: answer === null ? null : storedBody(answer.isStream ? streamed(answer, endpoint) : answer, redactor),
    redacted: redactor.counts,
  }
}

function storedBody({ text, bytes, isCut }: RawBody, redactor: Redactor): StoredBody {
  const json = isCut ? null : redactedJson(text, redactor)
  if (json !== null && json.length <= STORED_CHARACTERS) return { text: json, bytes, isCut, isJson: true }
  const plain = json ?? redactor.text(unescaped(isCut ? text.slice(0, -UNSURE_CHARACTERS) : text))
  const isShort = plain.length <= STORED_CHARACTERS
  return {
    text: isShort ? plain : plain.slice(0, STORED_CHARACTERS),
    bytes,
    isCut: isCut || !isShort,
    isJson: false,
  }
}

function redactedJson(text: string, redactor: Redactor): string | null {
  try {
    return JSON.stringify(redactor.value(JSON.parse(text)))
  } catch {
    // No JSON, or nested too deeply.
    return null
  }
}

/** A part of a JSON text, or a broken one: escapes would hide what rules look for. */
function unescaped(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/gs, (whole, escaped: string) => {
    if (escaped.length === 5) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return ESCAPES[escaped] ?? whole
  })
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '"': '"',
  '/': '/',
  '\\': '\\',
}

/** The frames of a stream as the answer that they make up. */
function streamed({ text, bytes, isCut }: RawBody, endpoint: string): RawBody {
  const assembly = ASSEMBLERS[endpoint]?.()
  return { text: JSON.stringify(assembly === undefined ? {} : assembled(assembly, eventsIn(text))), bytes, isCut }
}
