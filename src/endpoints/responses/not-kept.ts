/** What a caller is told who asks for a response by its id, or for another thing that only a vendor's own service has. */
export function notKept(path: string): string {
  if (path === 'compact') {
    return 'POST /v1/responses/compact is not offered here: let the client shorten the conversation itself.'
  }
  return 'Responses are not kept here: they cannot be fetched, listed, cancelled or deleted. Send "store": false and resend the items.'
}
