import type { Reply } from '../../../http/call.ts'
import type { Refusal } from './decide-sign-in.ts'

type Problem = Refusal | 'not_started' | 'cancelled' | 'failed' | 'unreachable' | 'database'

interface Words {
  status: number
  title: string
  /** What happened, and what to do next. `{provider}` is replaced with its name. */
  text: string
}

const ASK = 'Ask an administrator of this gateway'

const WORDS: Record<Problem, Words> = {
  not_invited: {
    status: 403,
    title: 'You have no access yet',
    text: `{provider} confirmed who you are, but you have not been invited, and none of your groups has a role here. ${ASK} to invite your e-mail address, then sign in again.`,
  },
  invite_expired: {
    status: 403,
    title: 'Your invite has expired',
    text: `${ASK} to invite you again, then sign in.`,
  },
  email_not_verified: {
    status: 403,
    title: 'Your e-mail address is not verified',
    text: 'An invite is only for an address that {provider} has verified. Verify it there, then sign in again.',
  },
  disabled: {
    status: 403,
    title: 'Your access is disabled',
    text: `${ASK} to enable it again.`,
  },
  not_started: {
    status: 400,
    title: 'This sign-in is too old',
    text: 'It took longer than ten minutes, was finished before, or began in another browser. Start again.',
  },
  cancelled: {
    status: 400,
    title: 'You are not signed in',
    text: '{provider} ended the sign-in ({said}). Start again, or sign in with an admin key.',
  },
  failed: {
    status: 400,
    title: 'The sign-in failed',
    text: 'The answer of {provider} did not fit this sign-in. Start again. If it fails again, the log of the gateway says why.',
  },
  unreachable: {
    status: 502,
    title: '{provider} cannot be reached',
    text: 'Try again in a minute, or sign in with an admin key. If it stays, an operator finds the reason in the log of the gateway.',
  },
  database: {
    status: 503,
    title: 'The database is unavailable',
    text: 'Sign-in is unavailable until it is back. Try again in a minute.',
  },
}

const STYLE = `:root{color-scheme:light dark}body{background:light-dark(#fff,#14161c);color:light-dark(#16181d,#e8eaf0);font:16px/1.6 system-ui,sans-serif;max-width:30rem;margin:18vh auto 0;padding:0 1.25rem}
h1{font-size:1.4rem;line-height:1.3}a{color:light-dark(#1d4ed8,#93b4ff);margin-right:1.25rem}`

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
}

/**
 * A page without a script: what happened, and the next step. `who` is shown only to the person who has just proved it;
 * `said` is the provider's code, `other` where another account signs in.
 */
export function problemPage(problem: Problem, provider: string, { said = '', who = '', other = '' } = {}): Reply {
  const { status, title, text } = WORDS[problem]
  const filled = (words: string) => html(words.replaceAll('{provider}', provider).replaceAll('{said}', said))
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${filled(title)} · Switchyard</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>${STYLE}</style>
<main><h1>${filled(title)}</h1>${who === '' ? '' : `<p>You signed in as <b>${html(who)}</b>.</p>`}<p>${filled(text)}</p>
<p><a href="${other === '' ? '/sign-in' : html(other)}">${other === '' ? `Sign in with ${html(provider)}` : 'Use another account'}</a> <a href="/dashboard">Use an admin key</a></p></main></html>`
  return { status, headers: HEADERS, body }
}

function html(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
