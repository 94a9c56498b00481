import type { Vendor } from '../dialect/vendor.ts'
import { PLAIN } from '../rerank/ranking.ts'

/** Vendors of models that embed and rerank, and do nothing else. */

/** Counts the query with each document. */
export const voyage: Vendor = {
  baseUrl: 'https://api.voyageai.com/v1',
  source: 'our media reference; docs.voyageai.com was not opened, 2026-11-17',
  options: {
    drop_params: ['user', 'encoding_format'],
    rename_params: { dimensions: 'output_dimension' },
  },
  hasNoChat: true,
  embedsTextOnly: true,
  reranks: {
    ...PLAIN,
    isStrict: true,
    fields: { top_n: 'top_k' },
    takes: ['truncation'],
    refuses: ['max_tokens_per_doc'],
  },
}

/** Repeats the documents by default. */
export const jina: Vendor = {
  baseUrl: 'https://api.jina.ai/v1',
  source: 'our media reference; api.jina.ai was not opened, 2026-11-17',
  options: { drop_params: ['user', 'encoding_format'] },
  hasNoChat: true,
  embedsTextOnly: true,
  reranks: { ...PLAIN, always: { return_documents: false }, refuses: ['max_tokens_per_doc'] },
}
