import type { SMTPConnectionOptions } from 'nodemailer'
import type { AlertChannel } from '../../domain/alerts/channel.ts'
import type { Envelope } from './webhook.ts'
import { line, subjectLine, TEST_TEXT } from './words.ts'

type Socket = NonNullable<SMTPConnectionOptions['connection']>

/** Opens a connection, unless nothing may be sent to the address. */
export type Dial = (place: { host: string; port: number }, timeoutMs: number) => Promise<Socket>

export interface Email {
  from: string
  to: string[]
  subject: string
  text: string
  /** The same when it is sent again. */
  messageId: string
  date: Date
}

export function emailMessage({ from = '', to = [] }: AlertChannel['options'], envelope: Envelope): Email {
  const { id, at, events, isTest } = envelope
  const domain = from.replace(/^.*@/, '').replace(/[>\s].*$/, '')
  return {
    from,
    to,
    subject: subjectLine(envelope),
    text: isTest ? `${TEST_TEXT}\n` : `${events.map(line).join('\n')}\n`,
    messageId: `<${id}@${domain}>`,
    date: new Date(at),
  }
}

/** The client is loaded only where a channel needs it. */
export async function sendEmail(
  { options, secret }: AlertChannel,
  email: Email,
  { dial, timeoutMs }: { dial: Dial; timeoutMs: number },
): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const { host = '', port = 587, tls = 'starttls', username } = options
  const socket = await dial({ host, port }, timeoutMs)
  // A server that answers a little now and then must not outlast the lease of the message.
  const deadline = setTimeout(() => socket.destroy(new Error(`${host} takes too long`)), timeoutMs)
  try {
    const transport = createTransport({
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      ...(username === undefined ? {} : { auth: { user: username, pass: secret ?? '' } }),
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      getSocket: (_options, done) => done(null, { connection: socket }),
    })
    await transport.sendMail({ ...email, headers: { 'auto-submitted': 'auto-generated' } })
  } finally {
    clearTimeout(deadline)
    socket.destroy()
  }
}
