import type { ChatRequest } from '../domain/chat.ts'
import type { ErrorCode } from '../domain/errors.ts'
import type { Failure } from '../domain/failure.ts'
import type { ModelTraits, Provider } from '../domain/provider.ts'
import type { TokenUsage } from '../domain/usage.ts'
import type { Translation } from '../providers/family.ts'

/** Where a request may go: a place of its chain. */
export interface Destination {
  position: number
  /** Name of a row in the table of families. */
  family: string
  model: string
  traits: ModelTraits
}

/** What the steps of a call need of a request whose body stays in the worker. */
export interface OpenedRequest {
  outline: ChatRequest
  promptTokens: number | null
  /** SHA-256, hexadecimal; null where it was not asked for. */
  bodyHash: string | null
}

/** What the text of a completion is made with besides the provider's answer. */
export interface Stamp {
  id: string
  model: string
  /** Unix seconds. */
  created: number
}

/** An upstream answer, and what it takes to read it. */
export interface ReplyToRead {
  status: number
  family: string
  provider: Provider
  request: ChatRequest
  stamp: Stamp
}

export type ReadReply =
  /** `text`: the completion as the caller gets it; null when it is nested too deep to be written. */
  | {
      kind: 'answered'
      usage: TokenUsage
      finishReason: string | null
      warning: string | null
      text: Uint8Array<ArrayBuffer> | null
    }
  | { kind: 'failed'; failure: Failure }

/** What can be asked of the worker, and what it answers with. `body` numbers the requests whose body it keeps. */
export interface Tasks {
  open: { input: { body: number; chunks: ArrayBuffer[]; hash: boolean }; output: OpenedRequest }
  /** In the order of the destinations. Of a wire there is only an outline. */
  translate: { input: { body: number; destinations: Destination[] }; output: Translation[] }
  write: { input: { body: number; position: number }; output: Uint8Array<ArrayBuffer> }
  read: { input: ReplyToRead & { chunks: ArrayBuffer[] }; output: ReadReply }
}
export type TaskName = keyof Tasks

type TaskOf<K extends TaskName> = { id: number; task: K; input: Tasks[K]['input'] }
export type Task = { [K in TaskName]: TaskOf<K> }[TaskName]
/** The call has ended; not answered. */
export type Release = { task: 'release'; body: number }

export type TaskReply =
  | { id: number; output: Tasks[TaskName]['output'] }
  /** A mistake of the caller's, to be thrown as the GatewayError that it was. */
  | { id: number; refusal: { code: ErrorCode; message: string } }
  /** A fault of ours. */
  | { id: number; fault: unknown }
