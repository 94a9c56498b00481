import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { hello } from '../../harness.ts'
import { bedrockConfig, NOVA, startBedrock } from './world.ts'

/** An EC2 machine with a role, and the token service, which lets that role assume another. */
const machine = createServer(async (request, response) => {
  const { method, url = '', headers } = request
  const body = Buffer.concat(await request.toArray()).toString()
  if (url === '/sts') {
    const isKnown = /Credential=ASIAMACHINE\/\d{8}\/eu-west-1\/sts\//.test(headers.authorization ?? '')
    const isAsked = new URLSearchParams(body).get('RoleArn') === 'arn:aws:iam::1:role/other'
    return response.writeHead(isKnown && isAsked ? 200 : 403).end(ASSUMED)
  }
  if (method === 'PUT' && url === '/latest/api/token' && headers['content-length'] === '0') {
    return response.end('the-session')
  }
  if (headers['x-aws-ec2-metadata-token'] !== 'the-session') return response.writeHead(401).end()
  if (url.endsWith('/security-credentials/')) return response.end('gateway-role')
  const Expiration = new Date(Date.now() + 3_600_000).toISOString()
  return response.end(
    JSON.stringify({
      AccessKeyId: 'ASIAMACHINE',
      SecretAccessKey: 'fetched-secret-0123',
      Token: 'machine',
      Expiration,
    }),
  )
})
const ASSUMED = `<R><AccessKeyId>ASIAOTHER</AccessKeyId><SecretAccessKey>other-secret-01234</SecretAccessKey>
<SessionToken>other</SessionToken><Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration></R>`
await new Promise<void>((resolve) => machine.listen(0, '127.0.0.1', resolve))
const address = `http://127.0.0.1:${(machine.address() as AddressInfo).port}`

const row = (name: string, settings: string) =>
  `  ${name}: { family: bedrock, base_url: "\${SIMULATED_BEDROCK}", settings: { region: eu-west-1${settings} } }\n`
const route = (name: string) => `      ${name}: { chain: [{ provider: ${name}, model: "${NOVA}" }] }`
const config = bedrockConfig({ provider: 'api_key: bedrock-key-0123', routes: ['own', 'other'].map(route).join('\n') })
const bedrock = await startBedrock({
  config: config.replace(
    'workspaces:',
    `${row('own', '')}${row('other', ', role_arn: "arn:aws:iam::1:role/other"')}workspaces:`,
  ),
  environment: { AWS_EC2_METADATA_SERVICE_ENDPOINT: address, AWS_ENDPOINT_URL_STS: `${address}/sts` },
})
after(async () => {
  await bedrock.stop()
  machine.close()
})

for (const [name, key, session] of [
  ['own', 'ASIAMACHINE', 'machine'],
  ['other', 'ASIAOTHER', 'other'],
]) {
  test(`calls are signed with the keys of the machine's role: ${name}`, async () => {
    const served = await bedrock.chat(hello(String(name)))
    assert.equal(served.status, 200, served.text)
    const { headers } = bedrock.upstream().at(-1) ?? {}
    assert.match(headers?.['authorization'] ?? '', new RegExp(`Credential=${key}/`))
    assert.equal(headers?.['x-amz-security-token'], session)
  })
}
