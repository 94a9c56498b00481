/** Kept for a second: the text is the same for every answer within it. */
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

/** Status line and fields of an answer as they go over the wire. `reason` is the text that belongs to the status. */
export function responseHead(status: number, reason: string, fields: Record<string, string | number>): string {
  let text = `HTTP/1.1 ${status} ${reason}\r\n`
  for (const name in fields) {
    const value = fields[name]
    // Our own names need no look; a value may hold what others sent, and a line end in it would begin a field of theirs.
    if (typeof value === 'string' && UNSAFE.test(value)) throw new TypeError(`the header ${name} cannot be sent`)
    text += `${name}: ${value}\r\n`
  }
  return `${text}date: ${httpDate(Date.now())}\r\n\r\n`
}
