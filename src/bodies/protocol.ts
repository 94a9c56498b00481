import type { Attribution } from '../domain/attribution.ts'
import type { Effects } from '../domain/cache/route-cache.ts'
import type { ErrorCode, RefusedBody } from '../domain/errors.ts'
import type { Failure } from '../domain/failure.ts'
import type { ToolMarks } from '../domain/loops/tool-marks.ts'
import type { PromptSegments } from '../domain/prompt-cache/segments.ts'
import type { Provider } from '../domain/provider.ts'
import type { Answer, Stamp } from '../domain/request/answer.ts'
import type { PromptTokens } from '../domain/request/bounds.ts'
import type { CallRequest } from '../domain/request/call-request.ts'
import type { Worded } from '../domain/wording/worded.ts'
import type { Translation } from '../providers/family.ts'
import type { Destination } from './destination.ts'

/** What the steps of a call need of a request whose body stays in the worker. */
export interface OpenedRequest {
  outline: CallRequest
  promptTokens: PromptTokens
  attribution: Attribution
  effects: Effects
  /** SHA-256, hexadecimal; null when not requested. */
  hash: string | null
  /** Missing when not requested. */
  toolMarks?: ToolMarks
}

/** An upstream answer and what is needed to read it. */
export interface ReplyToRead {
  status: number
  /** Name of a row in the table of families. */
  family: string
  provider: Provider
  model: string
  /** Header fields with error details, where the family has some. */
  headers: Readonly<Record<string, string>>
  /** Name of a row in the table of endpoints. */
  endpoint: string
  /** An outline is enough. */
  request: CallRequest
  stamp: Stamp
}

/** An answer in the caller's format; null when it is nested too deep to be written. */
export type WrittenAnswer = Omit<Answer, 'body' | 'json' | 'reasoning'> & { text: Uint8Array<ArrayBuffer> | null }

export type ReadAnswer =
  | { kind: 'answer'; answer: WrittenAnswer }
  | { kind: 'failure'; failure: Failure }
  | { kind: 'unreadable' }

export interface Translated {
  /** In the order of the destinations. A wire is only an outline. */
  translations: Translation[]
  /** The body, already written: only in the usual case of one destination, and when this was the last translation. */
  written: Uint8Array<ArrayBuffer> | null
}

/** What the worker can be asked for. `body` numbers the requests whose body it keeps. */
export type BodyTasks = {
  open(input: {
    body: number
    chunks: ArrayBuffer[]
    endpoint: string
    hash: boolean
    allowsStream: boolean
    contentType?: string
    toolSalt?: string
  }): OpenedRequest
  /** Before it is written. */
  segments(input: { body: number; salt: string }): { segments: PromptSegments | null }
  /** `isFinal`: there is no further translation with other bounds. */
  translate(input: { body: number; destinations: Destination[]; isFinal: boolean }): Translated
  write(input: { body: number; position: number }): Uint8Array<ArrayBuffer>
  read(input: ReplyToRead & { chunks: ArrayBuffer[] }): ReadAnswer
  /** The call has ended. One-way. */
  release(body: number): void
}
export type TaskName = Exclude<keyof BodyTasks, 'release'>
export type TaskInput<K extends TaskName> = Parameters<BodyTasks[K]>[0]
export type TaskOutput<K extends TaskName> = ReturnType<BodyTasks[K]>

/** A caller's mistake, to be thrown as the GatewayError that it was. Anything else is our own fault, and stays as it is. */
export interface Refusal {
  refusal: { code: ErrorCode; worded: Worded; refused: RefusedBody | undefined }
}

/** Passed to a worker at its start. */
export interface WorkerData {
  /** Secrets that no message may contain. */
  hidden: readonly string[]
}
