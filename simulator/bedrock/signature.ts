import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from '../answer.ts'
import { errorAnswer } from './errors.ts'

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=([A-Za-z0-9]+)\/(\d{8})\/[a-z0-9-]+\/bedrock\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/

/** A bearer key, or the id of the key that signed. */
export function keyOf({ authorization = '' }: IncomingHttpHeaders): string | null {
  return /^Bearer (\S+)$/.exec(authorization)?.[1] ?? SIGNED.exec(authorization)?.[1] ?? null
}

/** The shape of a signature: what it must name and sign. Whether it fits is for the vendor's own signer to say. */
export function problemWithSignature(headers: IncomingHttpHeaders): Answer | null {
  const { authorization = '' } = headers
  const [, , day = '', names = ''] = SIGNED.exec(authorization) ?? []
  if (day === '') return null
  const date = headers['x-amz-date']
  const signed = names.split(';')
  const needed = [
    'host',
    'x-amz-date',
    ...(headers['x-amz-security-token'] === undefined ? [] : ['x-amz-security-token']),
  ]
  const isGood =
    typeof date === 'string' &&
    /^\d{8}T\d{6}Z$/.test(date) &&
    date.startsWith(day) &&
    needed.every((name) => signed.includes(name))
  if (isGood) return null
  return errorAnswer({
    status: 403,
    type: 'IncompleteSignatureException',
    message: 'Authorization header requires existence of a date and of all headers that are signed.',
  })
}
