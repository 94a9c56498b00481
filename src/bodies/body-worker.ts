import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { GatewayError } from '../domain/errors.ts'
import { hideEverywhere } from '../domain/provider.ts'
import { endpointNamed } from '../endpoints/endpoints.ts'
import { Conversation } from '../threads/conversation.ts'
import { yieldToServing } from '../threads/yield-to-serving.ts'
import { BodyBytes } from './body-bytes.ts'
import { OpenBodies } from './open-bodies.ts'
import type { BodyTasks, ReadAnswer, Refusal, ReplyToRead, TaskName, TaskOutput, WorkerData } from './protocol.ts'
import { readAnswer } from './read-answer.ts'

/** Does the work that would block the gateway's event loop: one task at a time, in order. */
const bodies = new OpenBodies()
hideEverywhere((workerData as WorkerData | null)?.hidden ?? [])
yieldToServing(10)

new Conversation(
  parentPort as MessagePort,
  {
    open: ({ body, chunks, endpoint, hash, ...options }) =>
      bodies.open(body, new BodyBytes(chunks), endpointNamed(endpoint), { withHash: hash, ...options }),
    segments: ({ body, salt }) => ({ segments: bodies.segments(body, salt) }),
    translate: ({ body, destinations, isFinal }) => bodies.translate(body, destinations, isFinal),
    write: ({ body, position }) => bodies.write(body, position),
    read: (reply) => readBytes(new BodyBytes(reply.chunks), reply),
    release: (body) => bodies.release(body),
  } satisfies BodyTasks,
  { transfer: transferable, pack: refusalOf },
)

function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof GatewayError)) return
  const { code, worded, refused } = error
  return { refusal: { code, worded, refused } }
}

function readBytes(bytes: BodyBytes, reply: ReplyToRead): ReadAnswer {
  try {
    return readAnswer(bytes.whole, reply)
  } finally {
    bytes.free()
  }
}

/** Bytes are transferred, not copied. */
function transferable(output: TaskOutput<TaskName>): ArrayBuffer[] {
  const bytes = bytesIn(output)
  return bytes === null ? [] : [bytes.buffer]
}

function bytesIn(output: TaskOutput<TaskName>): Uint8Array<ArrayBuffer> | null {
  if (output instanceof Uint8Array) return output
  if ('written' in output) return output.written
  return 'kind' in output && output.kind === 'answer' ? output.answer.text : null
}
