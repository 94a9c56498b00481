import { request } from 'node:http'
import type { Answered } from '../harness.ts'

/** Its own connection each: the system gives it to any of the threads. */
export function callByItself(url: string, headers: Record<string, string>, body: unknown): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    })
    asked.once('error', reject)
    asked.once('response', async (response) => {
      let text = ''
      for await (const piece of response) text += piece
      const found = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
      const trailers = Object.entries(response.trailers).map(([name, value]): [string, string] => [name, String(value)])
      const json = text.startsWith('{') ? JSON.parse(text) : null
      resolve({ status: response.statusCode ?? 0, headers: new Headers([...found, ...trailers]), text, json })
    })
    asked.end(JSON.stringify(body))
  })
}
