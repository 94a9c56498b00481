/** The error for a request of a stored response, or of another feature that only the vendor's own service has. */
export function notKept(path: string): string {
  if (path === 'compact') {
    return 'POST /v1/responses/compact is not offered here: let the client shorten the conversation itself.'
  }
  return 'Responses are not kept here: they cannot be fetched, listed, cancelled or deleted. Send "store": false and resend the items.'
}
