// 11 kB without dependencies; the vendor's own signer brings 7 MB. Its signatures are compared with that one's.
import { AwsV4Signer } from 'aws4fetch'
import type { OutgoingRequest } from '../../authorization.ts'

export interface Keys {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** The service's name in signatures is not that of its host. */
const SERVICE = 'bedrock'

/** Keys of one day, which take four of the six rounds of a signature. Few are in use at a time. */
const dayKeys = new Map<string, ArrayBuffer>()
const MOST_DAY_KEYS = 50

/** Header fields that sign a request. The path, whose segments are encoded already, is encoded once more for this. */
export async function signed(
  { method, url, headers, body }: OutgoingRequest,
  { accessKeyId, secretAccessKey, sessionToken }: Keys,
  region: string,
  now: number,
  service = SERVICE,
): Promise<Record<string, string>> {
  if (dayKeys.size >= MOST_DAY_KEYS) dayKeys.clear()
  const signer = new AwsV4Signer({
    method,
    url,
    headers,
    ...(body === null ? {} : { body: body as string | Uint8Array<ArrayBuffer> }),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service,
    region,
    cache: dayKeys,
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  })
  const { headers: result } = await signer.sign()
  const names = ['authorization', 'x-amz-date', 'x-amz-security-token']
  return Object.fromEntries(names.flatMap((name) => (result.has(name) ? [[name, result.get(name) ?? '']] : [])))
}
