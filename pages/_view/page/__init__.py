"""The front end with sessions: Streamlit. It draws every lesson of its stage and what stands below it."""
