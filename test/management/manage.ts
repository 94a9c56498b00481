import { ADMIN_KEY, type Answered, type Harness } from '../harness.ts'

/** Asks the management API with the test admin key; `path` with its query, `body` as JSON. */
export type Manage = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answered>

export function managing(harness: () => Harness): Manage {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(harness().url + path, {
      method,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) }
  }
}

/** The newest rows of the audit list about one resource. */
export async function auditOf(manage: Manage, resource: string) {
  return (await manage('GET', `/audit?resource=${encodeURIComponent(resource)}`)).json.data
}
