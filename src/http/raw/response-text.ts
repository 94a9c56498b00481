// Not imported: that would load every export of the module, WebSocket with a second undici among them.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** Kept for a second: every answer within it has the same. */
let dateText = ''
let dateSecond = 0

function httpDate(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(now).toUTCString()
  }
  return dateText
}

const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/

/** Fields as they are sent; those of `besides` are left out: they are sent, too. */
export function fieldText(
  fields: Readonly<Record<string, string | number>> | undefined,
  besides?: Readonly<Record<string, string | number>>,
): string {
  let text = ''
  for (const name in fields) {
    const value = fields[name]
    if (besides !== undefined && name in besides) continue
    // Names are ours; a value may hold what others sent, and a line end in it would begin another field.
    if (typeof value === 'string' && UNSAFE.test(value)) throw new TypeError(`the header ${name} cannot be sent`)
    text += `${name}: ${value}\r\n`
  }
  return text
}

/** Status line and fields of an answer as they are sent. */
export function responseHead(status: number, fields: string): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields}date: ${httpDate(Date.now())}\r\n\r\n`
}
