/** What the refusals of keys with rules and limits mean. */
export const tenantFailures: {
  readonly [code: string]: { readonly title: string; readonly remedy: string }
} = {
  insufficient_quota: {
    title: 'The key has used up its budget for this day.',
    remedy:
      'Wait for the next day in UTC, or raise "tokensPerDay" or "dollarsPerDay" of the tenant. Trying again does not help.',
  },
  model_not_allowed: {
    title: 'The key may not use this model, or no upstream that serves it.',
    remedy: 'Use a model that GET /v1/models lists, or add it to "models" or "upstreams" of the tenant.',
  },
  not_metered: {
    title: 'The key is limited, and what this path or background response uses cannot be seen.',
    remedy:
      'Use a key without limits of models, tokens or money for it. For background responses, set the upstream’s "state" to "gateway", which then runs and counts them.',
  },
  price_unknown: {
    title: 'The key has a budget in money, and nobody knows what this model costs.',
    remedy: 'Add the model to "prices", with 0 if it costs nothing.',
  },
  rate_limit_exceeded: {
    title: 'The key has reached its limit of requests or tokens a minute.',
    remedy:
      'Wait as long as Retry-After says, or raise "requestsPerMinute" or "tokensPerMinute" of the tenant.',
  },
}
