import { DEMO_ADMIN_KEY } from './config.ts'

/** The holder of the admin key in the greeting. */
export const OWNER = 'owner'

/** A call to the management API. `{name}` in a path is replaced with the id of the newest key of that name. */
export interface Step {
  daysAgo: number
  hour: number
  by: string
  call: `${'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`
  body?: object
}

export interface ControlApi {
  /** The value of the newest key of this name. */
  keyValue(name: string): string | null
  take(step: Step): Promise<void>
}

/** Runs steps against the gateway's management API, each with its actor's key. */
export function controlApi(url: string, setClock: (daysAgo: number, hour: number) => void): ControlApi {
  const made = new Map<string, { id: string; value: string }>()
  const admins = new Map([[OWNER, DEMO_ADMIN_KEY]])
  return {
    keyValue: (name) => made.get(name)?.value ?? null,
    async take({ daysAgo, hour, by, call, body }) {
      setClock(daysAgo, hour)
      const [method = '', path = ''] = call.split(' ')
      const response = await fetch(url + path.replace(/\{(.*)\}/, (_, name: string) => made.get(name)?.id ?? ''), {
        method,
        headers: { authorization: `Bearer ${admins.get(by)}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${call} of the demo's past: ${text}`)
      if (!text.includes('"value"')) return
      const created = JSON.parse(text) as { id: string; name: string; value: string }
      if (path.startsWith('/admin-keys')) admins.set(created.name, created.value)
      else made.set(created.name, created)
    },
  }
}
