/** The same call again, as far as the log knows it: what was said in it is not stored. */
export function curlOf(origin: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: '…' }] })
  return [
    `curl ${quoted(`${origin}/v1/chat/completions`)} \\`,
    '  -H "Authorization: Bearer $GATEWAY_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(body)}`,
  ].join('\n')
}

/** For a shell, whatever a caller put into the model's name. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
