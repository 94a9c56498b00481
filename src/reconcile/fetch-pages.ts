import { ReportProblem } from './line.ts'
import { listOf, objectOf, parseJson, textOf } from './read/json.ts'
import type { PagesOf } from './sources/fetch-plans.ts'

const MOST_PAGES = 200
const MOST_BYTES = 16 * 1024 * 1024

export interface Fetching {
  baseUrl: string
  headers: Readonly<Record<string, string>>
  fetch: typeof fetch
}

/** All pages, one a line, as the report's source reads them; empty pages are left out. */
export async function fetchPages({ path, query }: PagesOf, { baseUrl, headers, fetch }: Fetching): Promise<string> {
  const found: string[] = []
  const cursors = new Set<string>()
  let [page, bytes]: [string | null, number] = [null, 0]
  for (let number = 1; number <= MOST_PAGES; number++) {
    const at = `page ${number} of ${path}`
    const url = new URL(baseUrl.replace(/\/+$/, '') + path)
    for (const [name, value] of query) url.searchParams.append(name, value)
    if (page !== null) url.searchParams.set('page', page)
    const text = await read(await fetch(url, { headers, redirect: 'manual' }), at, MOST_BYTES - bytes)
    bytes += text.length
    const answer = objectOf(parseJson(text, at), at)
    if (listOf(answer['data'], `${at}, data`).length > 0) found.push(text.replaceAll(/\r?\n/g, ' '))
    page = answer['has_more'] === true ? textOf(answer['next_page'], `${at}, next_page`) : null
    if (page === null) return found.join('\n')
    if (cursors.has(page)) throw new ReportProblem(at, 'names a page that was read already')
    cursors.add(page)
  }
  throw new ReportProblem(path, `has more than ${MOST_PAGES} pages; fetch fewer days`)
}

async function read(response: Response, at: string, most: number): Promise<string> {
  if (response.status === 401 || response.status === 403) {
    throw new ReportProblem(at, `the admin key was refused (${response.status})`)
  }
  if (response.status !== 200) throw new ReportProblem(at, `answered ${response.status}`)
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > most) throw new ReportProblem(at, 'the answers are larger than 16 MiB; fetch fewer days')
  }
  return text + decoder.decode()
}
