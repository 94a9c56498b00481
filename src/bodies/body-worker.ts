import { parentPort, workerData } from 'node:worker_threads'
import { GatewayError } from '../domain/errors.ts'
import { hideEverywhere } from '../domain/provider.ts'
import { endpointNamed } from '../endpoints/endpoints.ts'
import { yieldToServing } from '../threads/yield-to-serving.ts'
import { BodyBytes } from './body-bytes.ts'
import { OpenBodies } from './open-bodies.ts'
import type {
  OpenedRequest,
  ReadAnswer,
  Release,
  ReplyToRead,
  Task,
  TaskName,
  TaskReply,
  Tasks,
  WorkerData,
} from './protocol.ts'
import { readAnswer } from './read-answer.ts'

/** Does the work that would block the gateway's event loop: one task at a time, in order. */
const bodies = new OpenBodies()
hideEverywhere((workerData as WorkerData | null)?.hidden ?? [])
yieldToServing(10)

parentPort?.on('message', (message: Task | Release) => {
  if (message.task === 'release') {
    bodies.release(message.body)
    return
  }
  const reply = replyTo(message)
  parentPort?.postMessage(reply, 'output' in reply ? transferable(reply.output) : [])
})

function replyTo(task: Task): TaskReply {
  try {
    return { id: task.id, output: outputOf(task) }
  } catch (error) {
    if (!(error instanceof GatewayError)) return { id: task.id, fault: error }
    const { code, worded, refused } = error
    return { id: task.id, refusal: { code, worded, refused } }
  }
}

function outputOf(task: Task): Tasks[TaskName]['output'] {
  switch (task.task) {
    case 'open':
      return opened(task.input)
    case 'translate':
      return bodies.translate(task.input.body, task.input.destinations, task.input.isFinal)
    case 'write':
      return bodies.write(task.input.body, task.input.position)
    case 'read':
      return readBytes(new BodyBytes(task.input.chunks), task.input)
  }
}

function opened({ body, chunks, endpoint, hash, allowsStream }: Tasks['open']['input']): OpenedRequest {
  return bodies.open(body, new BodyBytes(chunks), endpointNamed(endpoint), { withHash: hash, allowsStream })
}

function readBytes(bytes: BodyBytes, reply: ReplyToRead): ReadAnswer {
  try {
    return readAnswer(bytes.whole, reply)
  } finally {
    bytes.free()
  }
}

/** Bytes are transferred, not copied. */
function transferable(output: Tasks[TaskName]['output']): ArrayBuffer[] {
  const bytes = bytesIn(output)
  return bytes === null ? [] : [bytes.buffer]
}

function bytesIn(output: Tasks[TaskName]['output']): Uint8Array<ArrayBuffer> | null {
  if (output instanceof Uint8Array) return output
  if ('written' in output) return output.written
  return 'kind' in output && output.kind === 'answer' ? output.answer.text : null
}
