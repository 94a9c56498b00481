import type { Proved, Verdict } from './prove.ts'

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:52rem;margin:3rem auto;padding:0 1rem}
h1{font-size:1.6rem}section{border-top:1px solid #8884;padding:1rem 0}h2{font-size:1.1rem;margin:0}
.holds{color:#1a7f37}.fails{color:#cf222e}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1.5rem;margin:.6rem 0}
dd{margin:0;font-variant-numeric:tabular-nums}small{opacity:.75}`

/** The verdict as a page of its own, without anything from elsewhere. */
export function verdictPage({ holds, seed, proofs, target, notAsked }: Verdict, version: string): string {
  const title = holds ? (target === null ? 'Every promise held' : 'Everything asked held') : 'A promise did not hold'
  const asked = target === null ? '' : ` Asked was <code>${escaped(target)}</code>, over HTTP alone.`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style>
<h1 class="${holds ? 'holds' : 'fails'}">${title}</h1>
<p>Switchyard ${escaped(version)}, seed ${seed}. Again with <code>switchyard prove --seed ${seed}</code>.${asked}</p>
${[...proofs.map(section), ...notAsked.map(unasked)].join('\n')}</html>
`
}

function section({ name, promise, refutedBy, seconds, figures, problems }: Proved): string {
  const isKept = problems.length === 0
  const terms = Object.entries(figures).map(([term, value]) => `<dt>${escaped(term)}<dd>${escaped(String(value))}`)
  const broken = problems.map((problem) => `<li class="fails">${escaped(problem)}`)
  return `<section><h2><span class="${isKept ? 'holds' : 'fails'}">${isKept ? '✓' : '✗'}</span> ${escaped(name)}</h2>
<p>${escaped(promise)}</p><dl>${terms.join('')}<dt>seconds<dd>${seconds}</dl>
${broken.length === 0 ? '' : `<ul>${broken.join('')}</ul>`}<small>Refuted by: ${escaped(refutedBy)}</small></section>`
}

function unasked({ name, reason }: Verdict['notAsked'][number]): string {
  return `<section><h2>– ${escaped(name)}</h2><p>Not asked: ${escaped(reason)}.</p></section>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
