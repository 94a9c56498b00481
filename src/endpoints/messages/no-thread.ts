/** How the refusal of a conversation begins that the provider should hold: clients continue without one. */
export const NO_THREAD = 'thread: this provider does not hold conversations.'

/** What official clients look for, beside the words. */
export const NO_THREAD_DETAILS = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
