import { AwsV4Signer } from 'aws4fetch'
import type { Environment } from '../../app/config.ts'
import { CliError } from '../cli-error.ts'
import type { FeedFormat } from './feed-format.ts'
import type { FeedTarget } from './feed-target.ts'

/** Any store that speaks S3; the cursor is an object beside the rows. Settings are those of the AWS command line. */
export function s3Target(to: string, { extension, bytesOf }: FeedFormat, environment: Environment): FeedTarget {
  const { hostname: bucket, pathname } = new URL(to)
  const region = environment['AWS_REGION'] ?? 'us-east-1'
  const endpoint = environment['AWS_ENDPOINT_URL_S3'] ?? environment['AWS_ENDPOINT_URL']
  // A store of one's own rarely has a host name for each bucket.
  const base =
    endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com`
      : `${endpoint.replace(/\/+$/, '')}/${bucket}`
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  const ask = (method: 'GET' | 'PUT', name: string, body?: string | Uint8Array) =>
    request({ method, url: [base, prefix, name].filter((part) => part !== '').join('/'), body }, region, environment)
  return {
    rows: 10_000,
    async cursor() {
      const answer = await ask('GET', 'cursor')
      if (answer.status === 404) return null
      return (await checked(answer)).trim()
    },
    async write(name, lines) {
      await checked(await ask('PUT', `${name}.${extension}`, await bytesOf(lines)))
    },
    async save(at) {
      await checked(await ask('PUT', 'cursor', at))
    },
  }
}

async function checked(answer: Response): Promise<string> {
  const text = await answer.text()
  if (answer.ok) return text
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? ''
  throw new CliError(`the store answered ${answer.status} ${code}`.trim(), 1)
}

interface Asked {
  method: 'GET' | 'PUT'
  url: string
  body: string | Uint8Array | undefined
}

async function request({ method, url, body }: Asked, region: string, environment: Environment): Promise<Response> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment
  const sessionToken = environment['AWS_SESSION_TOKEN']
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new CliError('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY', 2)
  }
  const signer = new AwsV4Signer({
    ...{ method, url, service: 's3', region, accessKeyId, secretAccessKey },
    ...(body !== undefined && { body }),
    ...(sessionToken !== undefined && { sessionToken }),
  })
  const { headers } = await signer.sign()
  try {
    return await fetch(url, { method, headers, ...(body !== undefined && { body }) })
  } catch (error) {
    throw new CliError(`cannot reach the store: ${error instanceof Error ? error.message : String(error)}`, 1)
  }
}
