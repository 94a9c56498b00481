import { UPSTREAM_ANSWERS } from './bodies.ts'

const answers = new Map(Object.entries(UPSTREAM_ANSWERS).map(([path, text]) => [path, answerBytes('200 OK', text)]))
const NOT_FOUND = answerBytes('404 Not Found', '{}')

export function answerBytes(status: string, text: string): Buffer {
  const length = Buffer.byteLength(text)
  return Buffer.from(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`)
}

/** The whole answer of a simulated provider. */
export function answerTo(path: string): Buffer {
  return answers.get(path) ?? NOT_FOUND
}

export function pathOf(head: string): string {
  const begin = head.indexOf(' ') + 1
  return head.slice(begin, head.indexOf(' ', begin)).split('?', 1)[0] ?? ''
}
