import type { Gateway } from '../app/serve.ts'
import { programName } from './program-name.ts'

/** What a person needs after a start, with a curl that works as pasted. Keys are shown only when they are created. */
export function welcome(gateway: Gateway): string {
  const lines = ['', `  Switchyard serves on ${gateway.url}`, '']
  const { gatewayKey, adminKey, fileKeys } = gateway.newKeys
  if (gatewayKey !== null) lines.push(`  gateway key   ${gatewayKey}   (workspace default; shown only now)`)
  if (adminKey !== null) lines.push(`  admin key     ${adminKey}   (shown only now)`)
  if (gateway.adminUrl !== gateway.url) lines.push(`  management    ${gateway.adminUrl}   API, /docs, /metrics`)
  lines.push(`  dashboard     ${gateway.adminUrl}/dashboard   sign in with the admin key`)
  lines.push(...fileKeys.map(keyLine))
  if (gatewayKey === null) {
    lines.push(
      '  No new key: existing keys were shown when they were created, or you set them. Lost one?',
      '  Start with GATEWAY_KEY or ADMIN_KEY set to a value of your own, 16 characters or more.',
    )
  }
  lines.push('', ...providerHelp(gateway), '')
  return `${lines.join('\n')}\n`
}

/** Keys created by an edit of the configuration file. */
export function keyLines(keys: Gateway['newKeys']['fileKeys']): string {
  return `${keys.map(keyLine).join('\n')}\n`
}

function keyLine(key: Gateway['newKeys']['fileKeys'][number]): string {
  return `  key ${key.name}   ${key.value}   (workspace ${key.workspace}; shown only now)`
}

function providerHelp(gateway: Gateway): string[] {
  if (gateway.exampleModel === null) {
    return [
      `  No provider has a key yet. Set ${gateway.keyVariables.join(' or ')} and start again,`,
      `  or see it work without one:  ${demoCommand()}`,
    ]
  }
  return ['  Try it:', '', ...curlLines(gateway.url, gateway.newKeys.gatewayKey, gateway.exampleModel)]
}

/** In a clone npm builds the dashboard first; a container that serves has its port in use. */
export function demoCommand(program = programName()): string {
  if (program.startsWith('npm run')) return 'npm run demo'
  return program.includes(' exec ') ? `run the image with the command  node ${process.argv[1]} demo` : `${program} demo`
}

export function curlLines(url: string, key: string | null, model: string, streams = false): string[] {
  const body = JSON.stringify({
    model,
    ...(streams && { stream: true }),
    messages: [{ role: 'user', content: 'Say hello in five words.' }],
  })
  return [
    `  curl ${streams ? '-N' : '-i'} ${url}/v1/chat/completions \\`,
    // The shell fills in a key that only its owner knows.
    `    -H ${key === null ? '"Authorization: Bearer $GATEWAY_KEY"' : `'Authorization: Bearer ${key}'`} \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '${body}'`,
  ]
}
