import type { Input, Reply } from '../../api/client.ts'

export type Channel = Reply<'alert-channels.list'>['data'][number]
export type NewChannel = Input<'alert-channels.create'>['body']
type Kind = NewChannel['kind']

export const KIND_TITLES: Readonly<Record<Kind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  pagerduty: 'PagerDuty',
  email: 'E-mail',
}

export const SEVERITY_TITLES = {
  info: 'All alerts',
  warning: 'Warnings and critical',
  critical: 'Critical only',
} as const
export type LeastSeverity = keyof typeof SEVERITY_TITLES

export type FieldName = 'url' | 'secret' | 'host' | 'port' | 'username' | 'from' | 'to'

export type Typed = Readonly<Partial<Record<FieldName, string>>>

export interface Field {
  name: FieldName
  label: string
  description?: string
  isRequired?: boolean
  isSecret?: boolean
}

/** What each kind is asked for, in order. */
export const FIELDS: Readonly<Record<Kind, readonly Field[]>> = {
  webhook: [{ name: 'url', label: 'Address', description: 'Gets JSON, signed by Standard Webhooks', isRequired: true }],
  slack: [
    { name: 'url', label: 'Address', description: "Of Slack's incoming webhook", isRequired: true, isSecret: true },
  ],
  pagerduty: [
    { name: 'secret', label: 'Routing key', description: 'Events API v2', isRequired: true, isSecret: true },
    { name: 'url', label: 'Address', description: 'Only if it is not the usual one, as in the EU region' },
  ],
  email: [
    { name: 'to', label: 'To', description: 'Addresses, with commas between them', isRequired: true },
    { name: 'from', label: 'Sender', isRequired: true },
    {
      name: 'host',
      label: 'Mail server',
      description: 'Must offer STARTTLS; for others, switchyard alert-channels create',
      isRequired: true,
    },
    { name: 'port', label: 'Port', description: '587 if you leave it empty' },
    { name: 'username', label: 'User name' },
    { name: 'secret', label: 'Password', isSecret: true },
  ],
}

/** What was typed, as the API takes it. */
export function channelBody(kind: Kind, name: string, typed: Typed): NewChannel {
  const values = FIELDS[kind].flatMap((field) => {
    const text = typed[field.name]?.trim() ?? ''
    return text === '' ? [] : [[field.name, fieldValue(field.name, text)] as const]
  })
  return { name: name.trim(), kind, ...Object.fromEntries(values) }
}

/** The API shows no secret, and of an address only the host. */
export function isHidden(kind: Kind, name: FieldName): boolean {
  return name === 'url' || FIELDS[kind].some((field) => field.name === name && field.isSecret === true)
}

/** What a channel has, as it would have been typed. */
export function typedOf({ host, port, username, from, to }: Channel): Typed {
  const values = { host, port, username, from, to: to === null ? null : to.join(', ') }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, `${value}`]])),
  )
}

function fieldValue(name: FieldName, text: string): unknown {
  if (name === 'port') return Number(text)
  return name === 'to' ? text.split(/[\s,]+/).filter(Boolean) : text
}
