/** Tokens, secrets and keys go there: only this machine may be asked without TLS. */
export function isSecureUrl(text: string): boolean {
  const url = URL.parse(text)
  return (
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname))
  )
}
