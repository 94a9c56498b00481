/** Why an answer ended, in this format. Some servers say `stop` although the model calls a tool. */
export function stopReason(finishReason: string | null, hasToolCalls: boolean): string {
  switch (finishReason) {
    case 'length':
      return 'max_tokens'
    case 'content_filter':
      return 'refusal'
    default:
      return hasToolCalls ? 'tool_use' : 'end_turn'
  }
}
