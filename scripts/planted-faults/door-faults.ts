import { type Fault, fault } from './fault.ts'

const HOSTILE: Fault[] = [
  fault(
    'hostile',
    'the case of a key does not matter',
    'domain/key.ts',
    "return hash('sha256', value, 'hex')",
    "return hash('sha256', value.toLowerCase(), 'hex')",
  ),
  fault(
    'hostile',
    'the end of a key does not matter',
    'domain/key.ts',
    "return hash('sha256', value, 'hex')",
    "return hash('sha256', value.slice(0, 36), 'hex')",
  ),
  fault(
    'hostile',
    'the first of two keys counts',
    'endpoints/bearer-key.ts',
    '/^Bearer +(\\S+) *$/i',
    '/^Bearer +([^\\s,]+)/i',
  ),
  fault(
    'hostile',
    'a gateway key may administer',
    'management/access/authorize.ts',
    'if (access === undefined)',
    'if (access === undefined && !value.startsWith("gw_live_"))',
  ),
  fault(
    'hostile',
    'a caller without a key is the last one',
    'endpoints/bearer-key.ts',
    'if (value === undefined) {',
    "if (value !== undefined) last = value\n  else if (last !== '') return last\n  if (value === undefined) {",
  ),
  fault(
    'hostile',
    'whoever calls this machine may administer',
    'management/access/authorize.ts',
    "if (token === undefined) throw new GatewayError('unauthorized', text)",
    "if (token === undefined || /^127|^x/.test(call.header('host') ?? '')) return { actor: { id: 'x', name: 'x' }, access: { role: 'admin', workspaces: null } as never, session: null, expiresAt: null }",
  ),
  fault(
    'hostile',
    'blanks in a key do not matter',
    'endpoints/bearer-key.ts',
    '/^Bearer +(\\S+) *$/i.exec(authorization)?.[1]',
    "/^Bearer +(.+?) *$/i.exec(authorization)?.[1]?.replaceAll(' ', '')",
  ),
  fault(
    'hostile',
    'an unknown key is the newest one',
    'calls/authenticate.ts',
    'const found = snapshot.valuesByHash.get(hash)',
    'const found = snapshot.valuesByHash.get(hash) ?? [...snapshot.valuesByHash.values()].at(-1)',
  ),
]

const CACHES: Fault[] = [
  fault(
    'prompt-cache',
    'every call begins with its own name',
    'providers/wire-body.ts',
    'return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)',
    'return JSON.stringify({ metadata: { at: String(performance.now()) }, ...wire })',
  ),
  fault(
    'prompt-cache',
    'markers are taken out',
    'providers/wire-body.ts',
    'return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)',
    "return JSON.stringify(wire, (name, value) => (name === 'cache_control' ? undefined : value))",
  ),
  fault(
    'prompt-cache',
    'what was said last comes first',
    'providers/wire-body.ts',
    'return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)',
    "return JSON.stringify({ ...wire, messages: (wire['messages'] as unknown[]).toReversed() })",
  ),
  fault(
    'prompt-cache',
    'texts are cut at a length that grows',
    'providers/wire-body.ts',
    'return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)',
    "const { length } = wire['messages'] as unknown[]; return JSON.stringify(wire, (_, value) => (typeof value === 'string' && value.length > 1000 ? value.slice(length) : value))",
  ),
]

const MEMORY: Fault[] = [
  fault(
    'memory',
    'every body is remembered',
    'calls/settle.ts',
    'const { held } = ended.call',
    'const { held } = ended.call; ((globalThis as { all?: Buffer[] }).all ??= []).push(Buffer.alloc(ended.call.body?.length ?? 0, 1))',
  ),
]

const SECRETS: Fault[] = [
  fault(
    'secrets',
    'the key of a caller is printed',
    'calls/authenticate.ts',
    'deps.noteUse(found.id, now)',
    "deps.noteUse(found.id, now)\n  console.log(call.header('authorization'))",
  ),
  fault(
    'secrets',
    'a wrong key is printed',
    'calls/authenticate.ts',
    'throw unknownKey()',
    "{\n    console.error(call.header('authorization'))\n    throw unknownKey()\n  }",
  ),
  fault(
    'secrets',
    'why a call failed is kept with its words',
    'calls/why.ts',
    'const { kept, param } = error.worded',
    'const { param } = error.worded\n  const kept = error.message',
  ),
  fault(
    'secrets',
    'a bearer token is its own hash',
    'domain/key.ts',
    "return hash('sha256', value, 'hex')",
    'return value',
  ),
  fault(
    'secrets',
    'answers are printed',
    'calls/settle.ts',
    'const { held } = ended.call',
    "const { held } = ended.call; console.log(reply !== null && 'body' in reply ? String(reply.body) : '')",
  ),
  fault(
    'secrets',
    'the key of a provider is printed',
    'providers/authorize.ts',
    'const target = targetVia(provider, request)',
    'const target = targetVia(provider, request); console.log(target.headers)',
  ),
  fault(
    'secrets',
    'the audit log keeps new keys',
    'management/keys.ts',
    "keyAuditEntry('keys.create', null, after)",
    "keyAuditEntry('keys.create', null, { ...after, name: value })",
  ),
]

export const DOOR_FAULTS: readonly Fault[] = [...HOSTILE, ...CACHES, ...MEMORY, ...SECRETS]
