"""The front end with sessions: Streamlit. It draws every lesson from its stage, and the parts below the stage."""
