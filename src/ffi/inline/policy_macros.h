struct ax_agent_ctx_t;
