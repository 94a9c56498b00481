import { isAscii, isUtf8 } from 'node:buffer'
import type { ChatRequest } from '../domain/chat.ts'
import { checkedRequest, parseRequest } from '../endpoints/chat-completions/read.ts'
import { isTextAlone } from '../limits/hold.ts'
import { outlineOf } from './outline.ts'
import { type Skeleton, skeletonOf } from './skeleton.ts'

/** A request as it was read. */
export interface ReadRequest {
  request: ChatRequest
  /** False where long texts are missing from it, and letters beyond ASCII are wrong. */
  isExact: boolean
}

export interface SkimmedRequest extends ReadRequest {
  skeleton: Skeleton
}

/** Reads as little of a request as is enough to check it and to send its bytes on as they came. */
export function readRequest(source: Buffer): ReadRequest {
  return skimRequest(source) ?? readExactly(source)
}

/** Throws the error that the caller gets for a bad body. */
export function readExactly(source: Buffer): ReadRequest {
  return { request: parseRequest(source), isExact: true }
}

/**
 * Looks over the long texts. Null where that is not enough, more than `mostBytes` are left to be read, or something is not
 * right: what, only the exact reader can say.
 */
export function skimRequest(source: Buffer, mostBytes?: number): SkimmedRequest | null {
  const skeleton = isUtf8(source) ? skeletonOf(source, mostBytes) : null
  if (skeleton === null) return null
  let request: ChatRequest
  try {
    request = checkedRequest(JSON.parse(skeleton.text))
  } catch {
    return null
  }
  if (skeleton.gaps.length === 0 && isAscii(source)) return { request, skeleton, isExact: true }
  // Names must be right, and so must what is counted letter by letter.
  const isEnough = isTextAlone(request) && ASCII.test(JSON.stringify(outlineOf(request)))
  return isEnough ? { request, skeleton, isExact: false } : null
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII too.
const ASCII = /^[\x00-\x7f]*$/
