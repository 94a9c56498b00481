import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { baseUrlProblem, refusedHost } from '../base-url.ts'
import { GatewayError } from '../errors.ts'
import { newId } from '../new-id.ts'
import type { AlertChannel, ChannelDefinition, ChannelKind, ChannelOptions, ChannelSettings } from './channel.ts'

type Given = z.output<typeof ChannelDefinition> & { name: string }
type Changes = z.output<typeof ChannelSettings> & { name?: string | undefined }

/** What each kind takes, and what it cannot do without. */
const FIELDS: Readonly<Record<ChannelKind, { takes: readonly (keyof Changes)[]; needs: readonly (keyof Changes)[] }>> =
  {
    webhook: { takes: ['url', 'secret'], needs: ['url'] },
    slack: { takes: ['url'], needs: ['url'] },
    pagerduty: { takes: ['url', 'secret'], needs: ['secret'] },
    email: { takes: ['host', 'port', 'tls', 'username', 'secret', 'from', 'to'], needs: ['host', 'from', 'to'] },
  }
const OF_ALL = ['name', 'kind', 'enabled', 'min_severity']

export function newChannel(given: Given, now: number): { channel: AlertChannel; signingSecret: string | null } {
  const { kind, name } = given
  const missing = FIELDS[kind].needs.find((field) => given[field] === undefined)
  if (missing !== undefined) throw new GatewayError('invalid_request', `${missing}: a channel of kind ${kind} needs it`)
  const isMade = kind === 'webhook' && given.secret === undefined
  const signingSecret = isMade ? `whsec_${randomBytes(24).toString('base64')}` : null
  const blank: AlertChannel = {
    id: newId(now),
    name,
    kind,
    isEnabled: true,
    minSeverity: 'info',
    options: {},
    secret: signingSecret,
    createdAt: now,
  }
  const { kind: _kind, ...changes } = given
  return { channel: changedChannel(blank, changes), signingSecret }
}

export function changedChannel(channel: AlertChannel, changes: Changes): AlertChannel {
  const { kind } = channel
  check(kind, changes)
  checkSecretStaysAtHome(channel, changes)
  const { name, enabled, min_severity: minSeverity, secret, ...options } = changes
  // The address of Slack's webhook is all that it takes to write there.
  const { url, ...withoutUrl } = options
  const isSlack = kind === 'slack'
  return {
    ...channel,
    name: name ?? channel.name,
    isEnabled: enabled ?? channel.isEnabled,
    minSeverity: minSeverity ?? channel.minSeverity,
    options: { ...channel.options, ...(present(isSlack ? withoutUrl : options) as ChannelOptions) },
    secret: (isSlack ? url : secret) ?? channel.secret,
  }
}

/** Fields that decide where the secret is sent, so that a change could expose it to another server or in clear text. */
const CARRIES: Readonly<Record<ChannelKind, readonly (keyof Changes & keyof ChannelOptions)[]>> = {
  webhook: [],
  slack: [],
  pagerduty: ['url'],
  email: ['host', 'port', 'tls'],
}

/** A stored secret was meant for the server it was given for: to send it to another one, one must know it. */
function checkSecretStaysAtHome({ kind, options, secret }: AlertChannel, changes: Changes): void {
  const isMoved = CARRIES[kind].some((field) => changes[field] !== undefined && changes[field] !== options[field])
  if (!isMoved || secret === null || changes.secret !== undefined) return
  throw new GatewayError('invalid_request', 'secret: would go to another server: send it again')
}

function present(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function check(kind: ChannelKind, changes: Changes): void {
  const { takes } = FIELDS[kind]
  const foreign = Object.keys(changes).find((field) => ![...OF_ALL, ...takes].includes(field))
  if (foreign !== undefined) throw new GatewayError('invalid_request', `${foreign}: not for a channel of kind ${kind}`)
  // A webhook's address may have a query; the rest is as for providers.
  const problem = changes.url === undefined ? null : baseUrlProblem(changes.url.replace(/\?.*$/, ''))
  if (problem !== null) throw new GatewayError('invalid_request', `url: ${problem}`)
  const refusal = changes.host === undefined ? null : refusedHost(changes.host)
  if (refusal !== null) throw new GatewayError('invalid_request', `host: ${refusal}: refused`)
  if (kind === 'webhook' && changes.secret !== undefined && !/^whsec_[A-Za-z0-9+/]{32,}=*$/.test(changes.secret)) {
    throw new GatewayError('invalid_request', 'secret: whsec_ and at least 24 bytes in base64')
  }
}
