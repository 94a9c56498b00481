import { hash } from 'node:crypto'
import type { Form, FormPart } from './form.ts'

/** A form as a body. `boundary` must occur in no part. */
export function formBytes(parts: Form, boundary: string): Buffer<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  for (const part of parts) pieces.push(Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n`), part.data, LINE_END)
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return Buffer.concat(pieces) as Buffer<ArrayBuffer>
}

const LINE_END = Buffer.from('\r\n')

/** The content type of such a body, which says it in its first line. */
export function formType(body: Uint8Array): string {
  const line = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 200)).toString('latin1')
  return `multipart/form-data; boundary=${line.slice(2, line.indexOf('\r\n'))}`
}

/** Of what the parts say: two attempts of one client differ in their boundaries. */
export function formHash(parts: Form): string {
  const said = parts.map(({ name, filename, type, data }) => {
    const extension = filename === null ? null : filename.slice(filename.lastIndexOf('.') + 1)
    return [name, extension, filename === null ? null : type, hash('sha256', data, 'hex')]
  })
  return hash('sha256', JSON.stringify(said), 'hex')
}

function headOf({ name, filename, type }: FormPart): string {
  const file = filename === null ? '' : `; filename="${escaped(filename)}"`
  const kind = type === null ? '' : `content-type: ${type}\r\n`
  return `content-disposition: form-data; name="${escaped(name)}"${file}\r\n${kind}`
}

/** As browsers write it. */
function escaped(text: string): string {
  return text.replaceAll('"', '%22')
}
